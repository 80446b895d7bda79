-- +goose Up
CREATE INDEX inbox_without_heir ON inbox (session_key) WHERE replaced_by = 0;
COMMENT ON COLUMN inbox.replaced_by IS 'The newer message that superseded or summarized it; that one''s claim brings it into the transcript. 0: that one gets no turn, and the next message that is claimed brings it.';

-- +goose Down
DROP INDEX inbox_without_heir;
COMMENT ON COLUMN inbox.replaced_by IS 'The newer message that superseded or summarized it; that one''s claim brings it into the transcript.';
