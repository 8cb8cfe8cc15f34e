-- The agent's own tables. The first: what every request to a model's server took.

CREATE TABLE request (
    id INTEGER PRIMARY KEY,
    when_ms INTEGER NOT NULL,                -- since the epoch, when the request ended
    project TEXT NOT NULL,                   -- the project's id
    session TEXT NOT NULL,                   -- the session that made it, or whose process wrote the line
    model TEXT NOT NULL,                     -- provider/model
    provider TEXT NOT NULL,
    purpose TEXT NOT NULL,                   -- chat, memory, compaction, title, relevance
    outcome TEXT NOT NULL,                   -- answered, failed, cancelled
    input INTEGER,                           -- tokens, cached ones counted once; NULL where the server told none
    cached INTEGER,                          -- of the input: read from the cache
    cache_write INTEGER,                     -- of the input: written to the cache
    output INTEGER,
    reasoning INTEGER,                       -- of the output: thinking
    micro_dollars INTEGER                    -- NULL where tokens or price are unknown
) STRICT;
CREATE INDEX request_session ON request (session);
