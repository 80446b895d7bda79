-- +goose Up
-- Views in the place of functions: Postgres plans the body of an SQL function with a sub-select at every call, and a view once with the statement
-- that reads it.
CREATE VIEW user_admins AS
SELECT u.id AS user_id, coalesce(s.owner_id, u.id) AS admin_id
FROM users u
LEFT JOIN users s ON s.id = CASE u.kind WHEN 'consumer' THEN u.owner_id WHEN 'service' THEN u.id END AND s.kind = 'service';
COMMENT ON VIEW user_admins IS 'Whose models, keys and runners work for a user: for a consumer and for a service the administrator of the service, for other users themselves.';

CREATE VIEW session_places AS
SELECT s.key AS session_key, jsonb_strip_nulls(jsonb_build_object(
    'channel', at.channel, 'account', coalesce(at.origin ->> 'account_id', ''), 'chat_type', at.chat_type, 'scene', at.scene, 'job', nullif(j.permits, '{}'))) AS place
FROM (SELECT o.key, coalesce(nullif(o.root, ''), o.key) AS top FROM sessions o) s
LEFT JOIN cron_jobs j ON starts_with(s.top, 'cron:') AND j.id = substr(s.top, length('cron:') + 1)
LEFT JOIN triggers t ON starts_with(s.top, 'hook:') AND t.id = substr(s.top, length('hook:') + 1)
LEFT JOIN sessions made ON made.key = coalesce(nullif(j.home, ''), nullif(t.answer_in, ''), s.top)
JOIN sessions at ON at.key = coalesce(nullif(made.root, ''), made.key, s.top);
COMMENT ON VIEW session_places IS 'Where a session takes place, as internal/chat reads it (Spot): itself, for a subagent the session above all, for the own session of a job the one in which the job was made, for that of a trigger the one in which it answers; and what the job narrows.';

CREATE VIEW session_permits AS
SELECT s.key AS session_key, jsonb_build_object(
    'admin', u.role = 'admin' AND u.kind = 'person',
    'outside', u.kind IN ('service', 'consumer'),
    'here', coalesce(nullif(top.preset, ''), s.preset),
    'own', coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'preset'), ''),
    'cwd', CASE WHEN s.cwd_runner = '' OR s.cwd_runner = coalesce(
        nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), s.cwd_runner) THEN s.cwd ELSE '' END,
    'at', (SELECT p.place FROM session_places p WHERE p.session_key = s.key),
    'planning', EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running' AND t.plan = 'wanted'),
    'rules', coalesce((
        SELECT jsonb_agg(jsonb_build_object('tool', p.tool, 'pattern', p.pattern, 'rule', p.rule) ORDER BY p.tool, p.pattern)
        FROM tool_permissions p WHERE p.user_id = u.id
    ), '[]')) AS permits
FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions top ON top.key = s.root;
COMMENT ON VIEW session_permits IS 'What the user of a session wants of its tools, as internal/chat reads it (Permits): their rules, their preset, that of the session, which for a subagent is the one of the session above all, where the conversation above all takes place, and whether the running turn wants a plan first.';

CREATE VIEW own_prompts AS
SELECT u.id AS user_id,
       coalesce((
           SELECT jsonb_object_agg(n.section, jsonb_build_object('content', n.content, 'beside', n.beside)) FROM (
               SELECT DISTINCT ON (p.section) p.section, p.content, p.beside FROM prompt_versions p WHERE p.user_id = u.id ORDER BY p.section, p.version DESC
           ) n WHERE n.content <> ''
       ), '{}')::jsonb AS sections,
       (coalesce((SELECT string_agg(r.id || '.' || r.revision, ' ' ORDER BY r.id) FROM agent_roles r WHERE r.user_id = u.id), '') ||
        coalesce((SELECT string_agg(' -' || s.key, '' ORDER BY s.key) FROM agent_role_switches s WHERE s.user_id = u.id AND NOT s.enabled), '') ||
        coalesce((SELECT string_agg(' +' || i.id || '.' || left(i.digest, 12), '' ORDER BY i.id) FROM registry_installs i
                  WHERE coalesce(i.user_id, 0) IN (u.id, 0) AND i.kind = 'role' AND i.enabled), ''))::text AS roles,
       coalesce((SELECT string_agg(i.id || '.' || left(i.digest, 12), ' ' ORDER BY i.id) FROM registry_installs i
                 WHERE coalesce(i.user_id, 0) IN (u.id, 0) AND i.kind = 'skill' AND i.enabled), '')::text AS skills
FROM (SELECT id FROM users UNION ALL SELECT 0) u;
COMMENT ON VIEW own_prompts IS 'What a user has in place of parts of the system prompt: the newest version of each section, unless it is empty, and what their roles of subagents are, written and installed, and their installed skills, as texts that differ when they do. User 0 has those that are installed for everybody.';

-- The functions stay for workers of an earlier version, which run beside newer ones until their turns have ended.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION admin_of(id bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((SELECT a.admin_id FROM user_admins a WHERE a.user_id = $1), $1);
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION place_of(key text) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT p.place FROM session_places p WHERE p.session_key = $1);
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION permits_of(key text) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT p.permits FROM session_permits p WHERE p.session_key = $1);
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION admin_of(id bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((
        SELECT s.owner_id FROM users c JOIN users s ON s.id = CASE c.kind WHEN 'consumer' THEN c.owner_id ELSE c.id END
        WHERE c.id = $1 AND c.kind IN ('service', 'consumer') AND s.kind = 'service'
    ), $1)
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION place_of(key text) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH above AS (
        SELECT coalesce(nullif(s.root, ''), s.key) AS key FROM sessions s WHERE s.key = $1
    ), maker AS (
        SELECT coalesce(nullif(CASE
            WHEN starts_with(a.key, 'cron:') THEN (SELECT j.home FROM cron_jobs j WHERE j.id = substr(a.key, length('cron:') + 1))
            WHEN starts_with(a.key, 'hook:') THEN (SELECT t.answer_in FROM triggers t WHERE t.id = substr(a.key, length('hook:') + 1))
        END, ''), a.key) AS key FROM above a
    )
    SELECT jsonb_strip_nulls(jsonb_build_object('channel', at.channel, 'account', coalesce(at.origin ->> 'account_id', ''), 'chat_type', at.chat_type, 'scene', at.scene,
        'job', (SELECT nullif(j.permits, '{}') FROM above a JOIN cron_jobs j ON a.key = 'cron:' || j.id)))
    FROM maker m
    LEFT JOIN sessions made ON made.key = m.key
    JOIN sessions at ON at.key = coalesce(nullif(made.root, ''), made.key, (SELECT a.key FROM above a))
$$;
-- +goose StatementEnd
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
DROP VIEW own_prompts, session_permits, session_places, user_admins;
