-- +goose Up
ALTER TABLE tool_calls ADD COLUMN judged_digest text NOT NULL DEFAULT '';
COMMENT ON COLUMN tool_calls.judged_digest IS 'SHA-256 of the tool and the arguments that were judged last, hexadecimal: written with the arguments by the three that judge (the model''s answer, a hook''s change, a person''s change), compared before the call begins. Empty: the call is from before it was kept.';

-- +goose Down
ALTER TABLE tool_calls DROP COLUMN judged_digest;
