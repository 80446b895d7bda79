-- +goose Up
CREATE TABLE tool_permissions (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    tool       text        NOT NULL,
    rule       text        NOT NULL CHECK (rule IN ('allow', 'ask', 'deny')),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, tool)
);
COMMENT ON TABLE tool_permissions IS 'What may happen when a tool is to be run for a user. Written by the permissions API and by an answer that holds for always. No row: the default of the installation (XBOT_TOOL_RULES).';

ALTER TABLE tool_calls
    ADD COLUMN rule            text NOT NULL DEFAULT 'allow' CHECK (rule IN ('allow', 'ask', 'deny')),
    ADD COLUMN approval        text NOT NULL DEFAULT '' CHECK (approval IN ('', 'open', 'allowed', 'denied', 'void')),
    ADD COLUMN reason          text NOT NULL DEFAULT '',
    ADD COLUMN note            text NOT NULL DEFAULT '',
    ADD COLUMN asked_at        timestamptz,
    ADD COLUMN answered_at     timestamptz,
    ADD COLUMN answered_by     text NOT NULL DEFAULT '',
    ADD COLUMN answer_key      text NOT NULL DEFAULT '',
    ADD COLUMN answer_woken_at timestamptz;
CREATE INDEX tool_calls_approval_open ON tool_calls (session_key) WHERE approval = 'open';
CREATE INDEX tool_calls_answer_key ON tool_calls (session_key, answer_key) WHERE answer_key <> '';
CREATE INDEX tool_calls_answer_unseen ON tool_calls (answer_woken_at) WHERE answer_woken_at IS NOT NULL;
COMMENT ON COLUMN tool_calls.rule IS 'What the rules of the user said when the step was committed; a change of the rules never reaches a call that exists.';
COMMENT ON COLUMN tool_calls.approval IS 'The question to a person whether the call may run. Opened by the turn (with reason and asked_at), answered by the ingress (with note, answered_at, answered_by) or by the turn when nobody did in time; void when the call got its result first.';
COMMENT ON COLUMN tool_calls.answer_key IS 'Id of the message that answered without naming a call, so that the same message sent again finds its answer instead of another question.';
COMMENT ON COLUMN tool_calls.answer_woken_at IS 'Set while the turn has not acted on an answer yet: when it was last woken for it, by the ingress or the relay.';

-- +goose Down
DROP INDEX tool_calls_answer_unseen, tool_calls_answer_key, tool_calls_approval_open;
ALTER TABLE tool_calls
    DROP COLUMN rule, DROP COLUMN approval, DROP COLUMN reason, DROP COLUMN note, DROP COLUMN asked_at, DROP COLUMN answered_at,
    DROP COLUMN answered_by, DROP COLUMN answer_key, DROP COLUMN answer_woken_at;
DROP TABLE tool_permissions;
