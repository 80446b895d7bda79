-- +goose Up
ALTER TABLE sessions ADD COLUMN shelf text NOT NULL DEFAULT '' CHECK (shelf IN ('', 'archived', 'oneshots'));
COMMENT ON COLUMN sessions.shelf IS 'Where the conversation is kept out of the list of its person: archived, by them, until somebody writes there again; oneshots, of a terminal. Empty: in the list.';
CREATE INDEX sessions_by_shelf ON sessions (user_id, shelf, last_interaction_at DESC);

-- +goose Down
DROP INDEX sessions_by_shelf;
ALTER TABLE sessions DROP COLUMN shelf;
