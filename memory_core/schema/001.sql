-- The first schema. Texts live in append-only rowid tables and are found through unique indexes, so that a
-- forgotten text leaves no copy in the gaps of split pages.

CREATE TABLE project (
    id INTEGER PRIMARY KEY,
    directory TEXT NOT NULL UNIQUE,          -- the folder's name under projects/
    journal INTEGER NOT NULL UNIQUE,         -- the number that keys all below; a clearing takes a new one
    generation INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    view_bytes INTEGER NOT NULL,             -- rendered lines of the frontier, a newline each
    pairs TEXT NOT NULL,                     -- JSON {n: start of the oldest pair of that size in the frontier}
    indexed INTEGER NOT NULL,                -- entries before this number are in the word index
    analyzer INTEGER NOT NULL,               -- version of the analyzer that the word index was made with
    imported INTEGER NOT NULL,               -- 1 once the first import is whole
    written INTEGER NOT NULL,                -- entries that a tool has written
    forgets INTEGER NOT NULL,
    version INTEGER NOT NULL                 -- raised by each commit; caches hang on it
) STRICT;

CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    journal INTEGER NOT NULL,
    name TEXT NOT NULL,                      -- NFC, with .md
    alike TEXT NOT NULL,                     -- no case, separators or suffix
    disk TEXT NOT NULL,                      -- the path as the disk spells it
    newest INTEGER NOT NULL,                 -- number of the newest entry
    live INTEGER NOT NULL,                   -- 1 while the newest entry is a note
    size INTEGER NOT NULL,                   -- fingerprint of the file, as last read or written
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    looked_ns INTEGER,                       -- when the fingerprint was taken; NULL where it is certain
    old_size INTEGER,                        -- fingerprint of the file that the newest entry replaced
    old_mtime_ns INTEGER,
    old_inode INTEGER,
    hash BLOB,                               -- of the newest text; NULL once deleted or forgotten
    forgotten INTEGER,                       -- the project's count of forgets at the newest one of this name
    UNIQUE (journal, name)
) STRICT;
CREATE INDEX name_alike ON name (journal, alike);
CREATE INDEX name_forgotten ON name (journal, forgotten) WHERE forgotten IS NOT NULL;
CREATE INDEX name_unplaced ON name (journal) WHERE live AND inode = -1;  -- imported, the file is to be written

CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    journal INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    name_id INTEGER NOT NULL,
    kind INTEGER NOT NULL,                   -- 0 note, 1 delete, 2 forgotten
    pending INTEGER NOT NULL,                -- 1 while the leaf has no line
    verbatim INTEGER NOT NULL,               -- 1 where the entry text is its own line
    hides INTEGER NOT NULL,                  -- 1 where the front matter is left out when shown
    origin INTEGER NOT NULL,                 -- 0 session, 1 outside, 2 import, 3 command line
    session TEXT,
    client TEXT,
    created_ms INTEGER NOT NULL,
    heading TEXT NOT NULL,
    raw BLOB,                                -- the file's bytes; NULL for a delete or a forgotten note
    UNIQUE (journal, seq)
) STRICT;
CREATE INDEX entry_name ON entry (name_id, seq);
CREATE INDEX entry_pending ON entry (journal, seq) WHERE pending;

CREATE TABLE line (
    id INTEGER PRIMARY KEY,
    journal INTEGER NOT NULL,
    n INTEGER NOT NULL,
    start INTEGER NOT NULL,
    verbatim INTEGER NOT NULL,               -- 1 where it is its halves word for word
    pure INTEGER NOT NULL,                   -- 1 where its whole subtree is verbatim
    cut INTEGER NOT NULL,                    -- 1 where the text was cut to fit
    stale INTEGER NOT NULL DEFAULT 0,        -- 1 where it is to be written anew
    bytes INTEGER NOT NULL,                  -- of the rendered line with its newline
    model TEXT,
    text TEXT NOT NULL,
    UNIQUE (journal, n, start)
) STRICT;
CREATE INDEX line_stale ON line (journal, n, start) WHERE stale;

CREATE TABLE frontier (
    journal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    n INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    paired INTEGER NOT NULL,                 -- 1 on the left line of two siblings that are both here
    PRIMARY KEY (journal, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX frontier_pair ON frontier (journal, n, start) WHERE paired;

CREATE TABLE work (                          -- parents whose halves have their texts and that have none
    journal INTEGER NOT NULL,
    n INTEGER NOT NULL,
    start INTEGER NOT NULL,
    PRIMARY KEY (journal, n, start)
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
    journal INTEGER NOT NULL,
    n INTEGER NOT NULL,
    start INTEGER NOT NULL,
    owner TEXT NOT NULL,
    expires_ms INTEGER NOT NULL,
    PRIMARY KEY (journal, n, start)
) STRICT, WITHOUT ROWID;

CREATE TABLE forgetting (                    -- notes whose forget has begun and is not whole
    journal INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (journal, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE incoming (                      -- journals that an import fills before a project takes one as its own
    journal INTEGER PRIMARY KEY,
    directory TEXT NOT NULL,
    source TEXT NOT NULL,                    -- SHA-256 of the file, so that an import that was cut off goes on
    owner TEXT NOT NULL                      -- id and start time of the process that fills it
) STRICT;

CREATE TABLE opened (                        -- which notes were opened, and when last; written with other things
    name_id INTEGER PRIMARY KEY,
    journal INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    count INTEGER NOT NULL
) STRICT;

CREATE TABLE purge (                        -- blanked texts whose traces may remain in the database file
    id INTEGER PRIMARY KEY AUTOINCREMENT,    -- never used twice, so that a purge removes no later mark
    journal INTEGER NOT NULL,
    vacuumed INTEGER NOT NULL DEFAULT 0      -- 1 once the file is rewritten and only its log has to go
) STRICT;
