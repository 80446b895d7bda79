-- +goose Up
ALTER TABLE tool_calls
    ADD COLUMN hook              text    NOT NULL DEFAULT '' CHECK (hook IN ('', 'due', 'passed', 'deferred', 'denied')),
    ADD COLUMN hook_after        boolean NOT NULL DEFAULT false,
    ADD COLUMN hook_note         text    NOT NULL DEFAULT '',
    ADD COLUMN written_arguments text;
COMMENT ON COLUMN tool_calls.hook IS 'What hooks said before the call: due (they are to be asked; until then it does not run), passed, deferred (an administrator has to allow it), denied. Empty: no hook is meant for it. Set due by the commit of the step, else by the first outcome that is recorded.';
COMMENT ON COLUMN tool_calls.hook_after IS 'Whether hooks are told of its result.';
COMMENT ON COLUMN tool_calls.hook_note IS 'What hooks told the model before the call; stands behind its result.';
COMMENT ON COLUMN tool_calls.written_arguments IS 'The arguments as the model wrote them, where a hook has changed them. NULL: none has.';
CREATE INDEX tool_calls_deferred ON tool_calls (asked_at) WHERE hook = 'deferred' AND approval = 'open';

CREATE TABLE hook_outcomes (
    id           text        PRIMARY KEY,
    session_key  text        NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    turn_id      text        NOT NULL,
    event        text        NOT NULL,
    decision     text        NOT NULL CHECK (decision IN ('allow', 'ask', 'defer', 'deny')),
    reason       text        NOT NULL DEFAULT '',
    context      text        NOT NULL DEFAULT '',
    notes        text[]      NOT NULL DEFAULT '{}',
    message_upto bigint      NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX hook_outcomes_newest ON hook_outcomes (created_at DESC);
CREATE INDEX hook_outcomes_of_turn ON hook_outcomes (turn_id);
CREATE INDEX hook_outcomes_of_session ON hook_outcomes (session_key);
COMMENT ON TABLE hook_outcomes IS 'What hooks said to an event, one row an event: the first that is recorded counts. Written by the activity Consult in the transaction that acts on it.';
COMMENT ON COLUMN hook_outcomes.message_upto IS 'Of events about what a turn has claimed: the newest message that the hooks were told of.';

-- +goose StatementBegin
CREATE FUNCTION may_decide(owner bigint, who bigint, turn text, asks boolean, hook text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN hook = 'deferred' THEN EXISTS (SELECT 1 FROM users w WHERE w.id = who AND w.role = 'admin' AND w.kind = 'person')
                ELSE may_reply(owner, who, turn, asks) END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION may_decide IS 'Whether a user may say something to a call that waits: who may_reply; to one that a hook has deferred, administrators only.';

-- +goose Down
DROP FUNCTION may_decide;
DROP TABLE hook_outcomes;
DROP INDEX tool_calls_deferred;
ALTER TABLE tool_calls DROP COLUMN hook, DROP COLUMN hook_after, DROP COLUMN hook_note, DROP COLUMN written_arguments;
