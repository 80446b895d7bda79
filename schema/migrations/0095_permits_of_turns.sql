-- +goose Up
ALTER TABLE tool_calls ADD COLUMN asked_arguments text;
COMMENT ON COLUMN tool_calls.asked_arguments IS 'The arguments that a person was asked about, where they have changed them with their answer: arguments are those that they permitted. NULL: they have not.';
COMMENT ON COLUMN tool_calls.written_arguments IS 'The arguments as the model wrote them, where a hook or a person has changed them. NULL: nobody has.';
COMMENT ON COLUMN tool_calls.hook_note IS 'What the model is told with the result: what hooks said before the call, and that a person changed its arguments.';

ALTER TABLE turns
    ADD COLUMN allows_by    text NOT NULL DEFAULT '',
    ADD COLUMN allows_since timestamptz,
    ADD COLUMN allows_calls int  NOT NULL DEFAULT 0,
    ADD COLUMN allows_key   text NOT NULL DEFAULT '';
CREATE INDEX turns_allows_key ON turns (session_key, allows_key) WHERE allows_key <> '';
COMMENT ON COLUMN turns.allows_by IS 'Name of the person who allows every call of the turn that would be asked about; empty: nobody does. Written by the ingress, read where a call opens its question. It lifts no denial, and ends with the turn.';
COMMENT ON COLUMN turns.allows_since IS 'When they last said so.';
COMMENT ON COLUMN turns.allows_calls IS 'How many calls were allowed so.';
COMMENT ON COLUMN turns.allows_key IS 'Id of the message that said so, so that the same message sent again means this turn, and no later one.';

-- +goose Down
ALTER TABLE turns DROP COLUMN allows_by, DROP COLUMN allows_since, DROP COLUMN allows_calls, DROP COLUMN allows_key;
ALTER TABLE tool_calls DROP COLUMN asked_arguments;
COMMENT ON COLUMN tool_calls.written_arguments IS 'The arguments as the model wrote them, where a hook has changed them. NULL: none has.';
COMMENT ON COLUMN tool_calls.hook_note IS 'What hooks told the model before the call; stands behind its result.';
