-- +goose Up
CREATE INDEX inbox_expired ON inbox (session_key, id) WHERE reset <> '';
CREATE INDEX controls_resets ON controls (session_key, id) WHERE kind = 'reset';
COMMENT ON COLUMN inbox.reset IS 'The conversation had expired when it was accepted; the next claim of a message begins a new one before it, also where this row was dropped, taken back or answered at once.';

-- +goose Down
COMMENT ON COLUMN inbox.reset IS 'The conversation had expired when it was accepted; the claim begins a new one before it.';
DROP INDEX controls_resets, inbox_expired;
