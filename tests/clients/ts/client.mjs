// Drives an agent with the official TypeScript SDK: `node client.mjs PROJECT COMMAND [ARGUMENT …]`.
// Prints one JSON object of what it saw.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

import * as acp from "@agentclientprotocol/sdk";

const [project, command, ...words] = process.argv.slice(2);
const agent = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const { agent: ours, client: theirs } = acp.methods;

const seen = { permissions: [], updates: [], answers: [] };

const answerPermission = ({ params }) => {
  const kinds = params.options.map((option) => option.kind);
  seen.permissions.push({ kinds, content: params.toolCall.content });
  const once = params.options.find((option) => option.kind === "allow_once");
  return { outcome: { outcome: "selected", optionId: once.optionId } };
};

const app = acp
  .client({ name: "typescript-sdk", version: "1" })
  .onRequest(theirs.session.requestPermission, answerPermission)
  .onNotification(theirs.session.update, ({ params }) => void seen.updates.push(params.update));

await app.connectWith(stream, async (connection) => {
  seen.initialize = await connection.request(ours.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: "typescript-sdk", version: "1" },
  });
  const { sessionId, configOptions } = await connection.request(ours.session.new, { cwd: project, mcpServers: [] });
  const [model] = configOptions;
  const chosen = { sessionId, configId: model.id, value: model.currentValue };
  seen.options = await connection.request(ours.session.setConfigOption, chosen);
  for (const text of ["remember that the deploy key rotates on Mondays", "search for deploy key"]) {
    const prompt = [{ type: "text", text }];
    seen.answers.push(await connection.request(ours.session.prompt, { sessionId, prompt }));
  }
});
agent.stdin.end();
agent.on("exit", (code) => {
  seen.exit = code;
  console.log(JSON.stringify(seen));
  process.exit(0);
});
