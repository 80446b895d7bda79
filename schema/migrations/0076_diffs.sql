-- +goose Up
ALTER TABLE tool_calls ADD COLUMN diff text NOT NULL DEFAULT '';
COMMENT ON COLUMN tool_calls.diff IS 'What the call changed in a file, as a unified diff, for people; may be cut. Empty: nothing, or not known.';

-- +goose Down
ALTER TABLE tool_calls DROP COLUMN diff;
