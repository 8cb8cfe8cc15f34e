"""The table of rebuilds at a real agent: after which event a request has the prefix and the reminders that it had.

Each case: a view is frozen, an entry of somebody else comes as a reminder, the event, one more entry; then the next
request is looked at. Whatever the event, what it tells is told once, and the prefix holds from there on.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from harness import AgentProcess
from session_support import begin, choose, file_of, reopen, said

from acp_server.providers import interface
from acp_server.providers.interface import UserItem
from memory_core import Memory

START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000
HOUR_NS = 3600 * SECOND_NS
LOOKS_AT_A_CLOCK = SECOND_NS
"""More than all looks at an agent's clock move it on."""
ASK, REMINDER, SAY = '[[["say-request"]]]', '[[["reminder"], ["say", "Well."]]]', '[[["say", "Well."]]]'


@dataclass(frozen=True)
class Heard:
    """A request as the model got it."""

    system: str
    tools: str
    reminders: str

    @property
    def view(self) -> str | None:
        """The memory's lines; None without a memory."""
        _, begun, rest = self.system.partition("\n<memory>\n")
        return rest.removesuffix("</memory>\n") if begun else None


@dataclass
class Scene:
    """A session that goes on through agents that come and go; `cwd` is where it is."""

    folder: Path
    cwd: Path
    step_ns: int = SECOND_NS // 1000
    now_ns: int = START_NS
    agents: list[AgentProcess] = field(default_factory=list)
    session: str = ""

    @property
    def agent(self) -> AgentProcess:
        return self.agents[-1]

    def start(self, doors: str = "directed_model.py") -> None:
        """Another agent, the one before killed."""
        for agent in self.agents:
            agent.kill()
        self.agents.append(begin(self.folder, doors=doors, CAUDRA_TEST_CLOCK=f"{self.now_ns},{self.step_ns}"))

    def reopen(self, after_ns: int = SECOND_NS, method: str = "session/load", **how: object) -> None:
        """The session in another agent, some time later."""
        self.now_ns += after_ns
        self.start(str(how.pop("doors", "directed_model.py")))
        directories = {"cwd": str(self.cwd), **how}
        assert "result" in reopen(self.agent, self.session, method, **directories)

    def say(self, text: str) -> str:
        return said(self.agent, self.session, text)

    def heard(self) -> Heard:
        """The request of the next turn."""
        text = self.say(ASK)
        system, tools, items = text[text.index("You are Caudra") :].rsplit("\n", 2)
        history = eval(items, vars(interface))
        reminders = [item.text for item in history if isinstance(item, UserItem) and "# Memory updated" in item.text]
        return Heard(system, tools, "".join(re.split(r"\n\n\[\[\[", each)[0] for each in reminders))

    def memory(self) -> Memory:
        return Memory.open(self.cwd, state_dir=self.folder / "state")

    def write(self, name: str) -> None:
        with self.memory() as memory:
            memory.write(name, f"# {name.capitalize()}\n")

    def option(self, name: str, value: str) -> None:
        params = {"sessionId": self.session, "configId": name, "value": value}
        assert "result" in self.agent.answer(self.agent.request("session/set_config_option", params))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path, tmp_path / "project")
    yield made
    for agent in made.agents:
        agent.kill()


# The events


def nothing(scene: Scene) -> None:
    pass


def load_at_once(scene: Scene) -> None:
    scene.reopen()


def resume_at_once(scene: Scene) -> None:
    scene.reopen(method="session/resume")


def load_before_the_hour(scene: Scene) -> None:
    scene.reopen(HOUR_NS - LOOKS_AT_A_CLOCK)


def load_twice_within_the_hour(scene: Scene) -> None:
    scene.reopen(HOUR_NS // 2)
    scene.reopen(HOUR_NS // 4)


def load_after_an_hour(scene: Scene) -> None:
    scene.reopen(HOUR_NS + LOOKS_AT_A_CLOCK)


def resume_after_an_hour(scene: Scene) -> None:
    scene.reopen(HOUR_NS + LOOKS_AT_A_CLOCK, "session/resume")


def load_elsewhere(scene: Scene) -> None:
    scene.cwd = scene.folder / "elsewhere"
    scene.cwd.mkdir()
    scene.reopen()


def load_by_another_spelling(scene: Scene) -> None:
    (scene.folder / "link").symlink_to(scene.cwd)
    scene.reopen(cwd=f"{scene.cwd}/")
    scene.reopen(cwd=f"{scene.folder}/./link", additionalDirectories=[])


def load_with_other_roots(scene: Scene) -> None:
    scene.reopen(additionalDirectories=[str(scene.folder)])


def forget(scene: Scene) -> None:
    with scene.memory() as memory:
        assert memory.forget("old").purged


def forget_then_load(scene: Scene) -> None:
    forget(scene)
    scene.reopen()


def clear(scene: Scene) -> None:
    with scene.memory() as memory:
        memories = memory.project.memories
    shutil.rmtree(memories)


def clear_then_load(scene: Scene) -> None:
    clear(scene)
    scene.reopen()


def load_in_another_format(scene: Scene) -> None:
    """As another release would have written it: the same parts made other bytes there."""
    scene.agent.kill()
    path = file_of(scene.agent, scene.session)
    text = path.read_text(encoding="utf-8")
    assert '"digest":"' in text
    path.write_text(re.sub(r'"digest":"[0-9a-f]+"', '"digest":"0"', text), encoding="utf-8")
    scene.reopen()


def load_with_other_tools(scene: Scene) -> None:
    scene.reopen(doors="directed_with_tool.py")


def compact(scene: Scene) -> None:
    assert "made shorter" in scene.say("/compact")


def compact_then_load(scene: Scene) -> None:
    compact(scene)
    scene.reopen()


def clear_history(scene: Scene) -> None:
    assert scene.say("/clear")


def clear_history_then_load(scene: Scene) -> None:
    clear_history(scene)
    scene.reopen()


def ask_for_a_rebuild(scene: Scene) -> None:
    assert scene.say("/memory rebuild")


def look_at_the_memory(scene: Scene) -> None:
    assert scene.say("/memory")


def turn_the_memory_off(scene: Scene) -> None:
    scene.option("memory", "off")


def turn_the_memory_off_then_load(scene: Scene) -> None:
    turn_the_memory_off(scene)
    scene.agent.close_input()
    assert scene.agent.wait() == 0
    scene.reopen()


def turn_the_memory_off_by_a_command(scene: Scene) -> None:
    assert scene.say("/memory off")


def turn_the_memory_off_and_on_by_commands(scene: Scene) -> None:
    assert scene.say("/memory off")
    scene.say(SAY)
    assert scene.say("/memory on")


def turn_the_memory_off_in_the_configuration(scene: Scene) -> None:
    place = scene.folder / "state" / "config"
    place.mkdir()
    (place / "config.toml").write_text("[memory]\nenabled = false\n", encoding="utf-8")
    scene.reopen()


def turn_the_memory_off_and_on(scene: Scene) -> None:
    scene.option("memory", "off")
    scene.say(SAY)
    scene.option("memory", "on")


def turn_the_memory_off_and_on_at_once(scene: Scene) -> None:
    scene.option("memory", "off")
    scene.option("memory", "on")


def switch_the_model(scene: Scene) -> None:
    scene.option("model", "embedded/librarian")
    scene.say("help")
    scene.option("model", "test/scripted")


FROZEN, NOW, NONE = "as it was frozen", "as it is now", "none"

TABLE: dict[Callable[[Scene], None], tuple[bool, bool, str]] = {
    # event: is the prefix the same, are the reminders kept, which view
    nothing: (True, True, FROZEN),
    load_at_once: (True, True, FROZEN),
    resume_at_once: (True, True, FROZEN),
    load_before_the_hour: (True, True, FROZEN),
    load_twice_within_the_hour: (True, True, FROZEN),
    load_after_an_hour: (False, False, NOW),
    resume_after_an_hour: (False, False, NOW),
    load_elsewhere: (False, False, NOW),
    load_by_another_spelling: (True, True, FROZEN),
    load_with_other_roots: (False, False, NOW),
    forget: (True, True, FROZEN),
    forget_then_load: (False, False, NOW),
    clear: (False, False, NOW),
    clear_then_load: (False, False, NOW),
    load_in_another_format: (False, False, NOW),
    load_with_other_tools: (False, False, NOW),
    compact: (False, False, NOW),
    compact_then_load: (False, False, NOW),
    clear_history: (False, False, NOW),
    clear_history_then_load: (False, False, NOW),
    ask_for_a_rebuild: (False, False, NOW),
    look_at_the_memory: (True, True, FROZEN),
    turn_the_memory_off: (False, False, NONE),
    turn_the_memory_off_then_load: (False, False, NONE),
    turn_the_memory_off_by_a_command: (False, False, NONE),
    turn_the_memory_off_and_on_by_commands: (False, False, NOW),
    turn_the_memory_off_in_the_configuration: (False, False, NONE),
    turn_the_memory_off_and_on: (False, False, NOW),
    turn_the_memory_off_and_on_at_once: (True, True, FROZEN),
    switch_the_model: (True, True, FROZEN),
}


@pytest.mark.parametrize("event", TABLE, ids=lambda event: event.__name__)
def test_an_event_takes_the_view_anew_or_leaves_the_prefix_as_the_table_says(
    scene: Scene, event: Callable[[Scene], None]
) -> None:
    same, kept, view = TABLE[event]
    scene.start()
    scene.write("old")
    scene.session = scene.agent.new_session()
    choose(scene.agent, scene.session)
    before = scene.heard()
    assert before.view is not None and "note old.md" in before.view
    scene.write("news")
    assert "note news.md" in scene.say(REMINDER)
    event(scene)
    scene.write("later")
    after = scene.heard()
    assert (after.system == before.system) is same
    assert ("note news.md" in after.reminders) is kept
    with scene.memory() as memory:
        assert after.view == {FROZEN: before.view, NOW: memory.view().text, NONE: None}[view]
    assert ("note later.md" in after.reminders) is (view == FROZEN)
    assert ("memory" in after.tools) is (view != NONE)
    assert scene.say(REMINDER) == "Well."
    assert scene.heard() == after


def test_the_same_roots_in_another_spelling_and_order_change_nothing(scene: Scene) -> None:
    scene.start()
    params = {"cwd": str(scene.cwd), "mcpServers": [], "additionalDirectories": [str(scene.folder), "/"]}
    scene.session = scene.agent.answer(scene.agent.request("session/new", params))["result"]["sessionId"]
    choose(scene.agent, scene.session)
    before = scene.heard()
    scene.write("news")
    scene.reopen(additionalDirectories=["/", f"{scene.folder}/"])
    after = scene.heard()
    assert (after.system, "note news.md" in after.reminders) == (before.system, True)


def test_an_hour_without_a_word_in_an_open_session_changes_nothing(scene: Scene) -> None:
    scene.step_ns = HOUR_NS
    scene.start()
    scene.write("old")
    scene.session = scene.agent.new_session()
    choose(scene.agent, scene.session)
    before = scene.heard()
    scene.write("news")
    assert "note news.md" in scene.say(REMINDER)
    after = scene.heard()
    assert (after.system, "note news.md" in after.reminders) == (before.system, True)
