-- +goose Up
ALTER TABLE tool_calls ADD COLUMN sources jsonb NOT NULL DEFAULT '[]';
COMMENT ON COLUMN tool_calls.sources IS 'The pages of the web that the result comes from, for people: [{url, title}], in the order of the result.';

-- +goose Down
ALTER TABLE tool_calls DROP COLUMN sources;
