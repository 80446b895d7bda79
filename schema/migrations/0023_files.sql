-- +goose Up
ALTER TABLE inbox ADD COLUMN files int NOT NULL DEFAULT 0, ADD COLUMN files_until timestamptz;
COMMENT ON COLUMN inbox.files IS 'How many files came with the message: rows of inbox_files.';
COMMENT ON COLUMN inbox.files_until IS 'Its files are being fetched: until then it may not be claimed. NULL: there are none, or they are done.';
CREATE INDEX inbox_fetching ON inbox (woken_at) WHERE files_until IS NOT NULL AND outcome IS NULL;

CREATE TABLE inbox_files (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    inbox_id   bigint      REFERENCES inbox ON DELETE SET NULL,
    n          int         NOT NULL,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    kind       text        NOT NULL,
    key        text        NOT NULL,
    name       text        NOT NULL DEFAULT '',
    size       bigint      NOT NULL DEFAULT 0,
    state      text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'stored', 'failed', 'removed')),
    runner     text        NOT NULL DEFAULT '',
    path       text        NOT NULL DEFAULT '',
    problem    text        NOT NULL DEFAULT '',
    stored_at  timestamptz,
    UNIQUE (inbox_id, n)
);
CREATE INDEX inbox_files_stored ON inbox_files (user_id, stored_at) WHERE state = 'stored';
COMMENT ON TABLE inbox_files IS 'Files that people sent with messages on platforms. Inserted with the message; the Fetch workflow brings each to the runner of the conversation and writes where it is, or why it is not there; removed there when it is old.';
COMMENT ON COLUMN inbox_files.user_id IS 'Whose conversation it is: its runner is one of theirs.';
COMMENT ON COLUMN inbox_files.key IS 'The name or address of the content on the platform.';

-- +goose Down
DROP TABLE inbox_files;
DROP INDEX inbox_fetching;
ALTER TABLE inbox DROP COLUMN files, DROP COLUMN files_until;
