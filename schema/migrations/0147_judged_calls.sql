-- +goose Up
ALTER TABLE tool_calls ADD COLUMN judged boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN tool_calls.judged IS 'Whether a rule for some commands allowed the call: then the words that were judged run, not the text of the command.';

-- +goose Down
ALTER TABLE tool_calls DROP COLUMN judged;
