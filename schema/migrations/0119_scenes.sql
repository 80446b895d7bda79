-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION place_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH above AS (
        SELECT coalesce(nullif(s.root, ''), s.key) AS key FROM sessions s WHERE s.key = $1
    ), maker AS (
        SELECT coalesce(nullif(CASE
            WHEN starts_with(a.key, 'cron:') THEN (SELECT j.home FROM cron_jobs j WHERE j.id = substr(a.key, length('cron:') + 1))
            WHEN starts_with(a.key, 'hook:') THEN (SELECT t.answer_in FROM triggers t WHERE t.id = substr(a.key, length('hook:') + 1))
        END, ''), a.key) AS key FROM above a
    )
    SELECT jsonb_build_object('channel', at.channel, 'account', coalesce(at.origin ->> 'account_id', ''), 'chat_type', at.chat_type, 'scene', at.scene)
    FROM maker m
    LEFT JOIN sessions made ON made.key = m.key
    JOIN sessions at ON at.key = coalesce(nullif(made.root, ''), made.key, (SELECT a.key FROM above a))
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION place_of IS 'Where a session takes place, as internal/chat reads it (Spot): itself, for a subagent the session above all, for the own session of a job the one that it was made in, for that of a trigger the one that it answers in. What a scene narrows is narrow in all of them.';

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
COMMENT ON FUNCTION permits_of IS 'What the user of a session wants of its tools, as internal/chat reads it (Permits): their rules, their preset, that of the session, which for a subagent is the one of the session above all, where the conversation above all takes place, and whether the running turn wants a plan first.';

-- +goose Down
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
DROP FUNCTION place_of;
