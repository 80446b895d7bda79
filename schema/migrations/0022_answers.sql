-- +goose Up
ALTER TABLE tool_calls ADD COLUMN questions jsonb, ADD COLUMN answers jsonb;
COMMENT ON COLUMN tool_calls.questions IS 'What the call asks a person (AskUser), checked when the step was committed: a list of name, text, options, multi, other. NULL: it asks nothing of its own. Its approval is then the state of these questions.';
COMMENT ON COLUMN tool_calls.answers IS 'What a person answered: for each name of a question a list of texts. Written with the approval by whoever answers.';

-- +goose StatementBegin
CREATE FUNCTION may_reply(owner bigint, who bigint, turn text, asks boolean) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT may_answer(owner, who) OR asks AND EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = turn AND i.user_id = who)
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION may_reply IS 'Whether a user may say something to a call that waits: who may_answer, and to questions of the model also those whose messages the turn answers.';

-- +goose Down
DROP FUNCTION may_reply;
ALTER TABLE tool_calls DROP COLUMN questions, DROP COLUMN answers;
