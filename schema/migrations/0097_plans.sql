-- +goose Up
ALTER TABLE sessions ADD COLUMN plan boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN sessions.plan IS 'Whether turns of this conversation propose a plan before they act (plan mode). Written by /plan and by the sessions API.';

ALTER TABLE turns ADD COLUMN plan text NOT NULL DEFAULT '';
ALTER TABLE turns ADD CONSTRAINT turns_plan_check CHECK (plan IN ('', 'wanted', 'approved', 'lifted')) NOT VALID; -- all rows have the default
CREATE INDEX turns_plan_wanted ON turns (session_key) WHERE plan = 'wanted';
COMMENT ON COLUMN turns.plan IS 'Plan mode of the turn. wanted: only what reads runs, until a person approves a plan; the turn of a subagent that was asked in such a turn keeps it to its end. approved: they have. lifted: they have switched the mode off. Empty: nobody wants a plan. Written when the turn opens, with the answer to a plan, and by /plan.';

ALTER TABLE subagent_tasks ADD COLUMN walled boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN subagent_tasks.walled IS 'Whether the turn that asked wanted a plan then: the task is worked on by reading alone, also where it begins after the approval.';

ALTER TABLE tool_calls ADD COLUMN plan jsonb;
COMMENT ON COLUMN tool_calls.plan IS 'The plan that the call proposes (propose_plan), checked: title, steps, questions; as the person has edited it, once they approved it. NULL: it proposes none. A person alone approves it: no rule, no allowance of a turn and no answer to all calls does.';

ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_rule_check, ADD CONSTRAINT tool_calls_rule_check CHECK (rule IN ('allow', 'ask', 'deny', 'plan')) NOT VALID;
COMMENT ON COLUMN tool_calls.rule IS 'What the rules of the user said when the step was committed; a change of the rules never reaches a call that exists. plan: refused, since the turn wants an approved plan first.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION permits_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'admin', u.role = 'admin' AND u.kind = 'person',
        'here', coalesce(nullif(top.preset, ''), s.preset),
        'own', coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'preset'), ''),
        'cwd', CASE WHEN s.cwd_runner = '' OR s.cwd_runner = coalesce(
            nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), s.cwd_runner) THEN s.cwd ELSE '' END,
        'planning', EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running' AND t.plan = 'wanted'),
        'rules', coalesce((
            SELECT jsonb_agg(jsonb_build_object('tool', p.tool, 'pattern', p.pattern, 'rule', p.rule) ORDER BY p.tool, p.pattern)
            FROM tool_permissions p WHERE p.user_id = u.id
        ), '[]'))
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions top ON top.key = s.root
    WHERE s.key = $1
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION permits_of IS 'What the user of a session wants of its tools, as internal/chat reads it (Permits): their rules, their preset, that of the session, which for a subagent is the one of the session above all, and whether the running turn wants a plan first.';

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION permits_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'admin', u.role = 'admin' AND u.kind = 'person',
        'here', coalesce(nullif(top.preset, ''), s.preset),
        'own', coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'preset'), ''),
        'cwd', CASE WHEN s.cwd_runner = '' OR s.cwd_runner = coalesce(
            nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), s.cwd_runner) THEN s.cwd ELSE '' END,
        'rules', coalesce((
            SELECT jsonb_agg(jsonb_build_object('tool', p.tool, 'pattern', p.pattern, 'rule', p.rule) ORDER BY p.tool, p.pattern)
            FROM tool_permissions p WHERE p.user_id = u.id
        ), '[]'))
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions top ON top.key = s.root
    WHERE s.key = $1
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION permits_of IS 'What the user of a session wants of its tools, as internal/chat reads it (Permits): their rules, their preset, and that of the session, which for a subagent is the one of the session above all.';
UPDATE tool_calls SET rule = 'deny' WHERE rule = 'plan';
ALTER TABLE tool_calls DROP CONSTRAINT tool_calls_rule_check, ADD CONSTRAINT tool_calls_rule_check CHECK (rule IN ('allow', 'ask', 'deny')) NOT VALID;
COMMENT ON COLUMN tool_calls.rule IS 'What the rules of the user said when the step was committed; a change of the rules never reaches a call that exists.';
ALTER TABLE tool_calls DROP COLUMN plan;
ALTER TABLE subagent_tasks DROP COLUMN walled;
ALTER TABLE turns DROP COLUMN plan;
ALTER TABLE sessions DROP COLUMN plan;
