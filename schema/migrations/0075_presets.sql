-- +goose Up
ALTER TABLE tool_permissions ADD COLUMN pattern text NOT NULL DEFAULT '';
ALTER TABLE tool_permissions DROP CONSTRAINT tool_permissions_pkey, ADD PRIMARY KEY (user_id, tool, pattern);
COMMENT ON TABLE tool_permissions IS 'What may happen when a tool is to be run for a user: with calls that the pattern means (the beginning of a command, a path, a host), or with all of them where it is empty. Written by the permissions API and by an answer that holds for always. No row: the presets of the conversation and the user, then the installation (XBOT_TOOL_RULES, policy).';

ALTER TABLE sessions ADD COLUMN preset text NOT NULL DEFAULT '' CHECK (preset IN ('', 'read_only', 'ask', 'auto'));
COMMENT ON COLUMN sessions.preset IS 'What tools may do in this conversation and for its subagents; empty: as the user says (user_settings preset), then the policy.';

ALTER TABLE tool_calls ADD COLUMN always jsonb, ADD COLUMN preview text NOT NULL DEFAULT '';
COMMENT ON COLUMN tool_calls.preview IS 'What the call would have changed when the person was asked, as a unified diff; empty: not known.';
COMMENT ON COLUMN tool_calls.always IS 'Rules that an answer with always sets, computed when the step was committed; null: the rule to allow the tool.';

-- +goose StatementBegin
CREATE FUNCTION permits_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
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

-- +goose Down
DROP FUNCTION permits_of;
ALTER TABLE tool_calls DROP COLUMN always, DROP COLUMN preview;
ALTER TABLE sessions DROP COLUMN preset;
DELETE FROM tool_permissions WHERE pattern <> '';
ALTER TABLE tool_permissions DROP CONSTRAINT tool_permissions_pkey, ADD PRIMARY KEY (user_id, tool);
ALTER TABLE tool_permissions DROP COLUMN pattern;
