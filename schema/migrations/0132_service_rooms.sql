-- +goose Up
CREATE TABLE service_rooms (
    user_id         bigint      PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    service_id      text        NOT NULL,
    conversation_id text        NOT NULL,
    admin_id        bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    runner          text        NOT NULL CHECK (runner <> ''),
    made_at         timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE service_rooms IS 'On which runner the files of a consumer''s conversation are. Inserted by whoever first looks for them; deleted by the deletion of the conversation once its folder is gone.';
COMMENT ON COLUMN service_rooms.user_id IS 'The consumer.';
COMMENT ON COLUMN service_rooms.admin_id IS 'Whose runner it is.';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION permits_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'admin', u.role = 'admin' AND u.kind = 'person',
        'outside', u.kind IN ('service', 'consumer'),
        'here', coalesce(nullif(top.preset, ''), s.preset),
        'own', coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'preset'), ''),
        'cwd', CASE WHEN s.cwd_runner = '' OR s.cwd_runner = coalesce(
            nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), s.cwd_runner) THEN s.cwd ELSE '' END,
        'at', place_of(s.key),
        'planning', EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running' AND t.plan = 'wanted'),
        'rules', coalesce((
            SELECT jsonb_agg(jsonb_build_object('tool', p.tool, 'pattern', p.pattern, 'rule', p.rule) ORDER BY p.tool, p.pattern)
            FROM tool_permissions p WHERE p.user_id = u.id
        ), '[]'))
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions top ON top.key = s.root
    WHERE s.key = $1
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION permits_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'admin', u.role = 'admin' AND u.kind = 'person',
        'here', coalesce(nullif(top.preset, ''), s.preset),
        'own', coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'preset'), ''),
        'cwd', CASE WHEN s.cwd_runner = '' OR s.cwd_runner = coalesce(
            nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), s.cwd_runner) THEN s.cwd ELSE '' END,
        'at', place_of(s.key),
        'planning', EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running' AND t.plan = 'wanted'),
        'rules', coalesce((
            SELECT jsonb_agg(jsonb_build_object('tool', p.tool, 'pattern', p.pattern, 'rule', p.rule) ORDER BY p.tool, p.pattern)
            FROM tool_permissions p WHERE p.user_id = u.id
        ), '[]'))
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions top ON top.key = s.root
    WHERE s.key = $1
$$;
-- +goose StatementEnd
DROP TABLE service_rooms;
