-- name: ModelWanted :one
-- What decides which model answers in a session. own: a runner that its user can use offers a model, unless they asked
-- for the server's. options are those of the message that the running turn answers. usual: what its user chose for all their
-- conversations, usual_think: how much models think in them. subscriptions: the version of the subscriptions of this moment.
-- services: that of the services, where a service answers; elsewhere 0. tool_sources: that of what brings tools.
-- user_id: whose models, keys and runners work there: of a service's conversation its administrator.
-- topmost: no other conversation is above the session; else ModelAbove finds it. no_memory, no_soul: the user has switched these off.
-- notes_locked: agents of the user read what they remember, and write nothing.
SELECT whose.admin_id::bigint AS user_id, s.runner, s.agent, s.channel, s.chat_type, s.scene, s.model, s.think, s.send, s.activation,
       (s.root = '' AND NOT starts_with(s.key, 'cron:') AND NOT starts_with(s.key, 'hook:'))::boolean AS topmost,
       coalesce(s.origin ->> 'to', '')::text AS chat,
       coalesce(s.origin ->> 'account_id', '')::text AS account,
       (SELECT u.role = 'admin' AND u.kind = 'person' FROM users u WHERE u.id = s.user_id)::boolean AS admin,
       (SELECT u.kind = 'group' FROM users u WHERE u.id = s.user_id)::boolean AS of_group,
       coalesce(t.options, '{}')::jsonb AS options,
       coalesce(t.plan, '')::text AS plan,
       (NOT models.server
       AND EXISTS (SELECT 1 FROM runners r WHERE (r.user_id = whose.admin_id OR r.name = 'local') AND r.revoked_at IS NULL AND r.info->'llm' IS NOT NULL))::boolean AS own,
       models.usual::text AS usual,
       models.think::text AS usual_think,
       (SELECT v.version FROM llm_subscriptions_version v)::bigint AS subscriptions,
       (SELECT v.version FROM tool_sources_version v)::bigint AS tool_sources,
       (CASE WHEN s.agent LIKE 'svc\_%' THEN (SELECT v.version FROM services_version v) ELSE 0 END)::bigint AS services,
       memory.no_memory::boolean AS no_memory, memory.no_soul::boolean AS no_soul, memory.notes_locked::boolean AS notes_locked
FROM sessions s JOIN user_admins whose ON whose.user_id = s.user_id
LEFT JOIN turns t ON t.session_key = s.key AND t.state = 'running'
CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(c.key = 'llm_source' AND c.value = 'server'), false) AS server,
           coalesce(max(c.value) FILTER (WHERE c.key = 'model'), '') AS usual, coalesce(max(c.value) FILTER (WHERE c.key = 'think'), '') AS think
    FROM user_settings c WHERE c.user_id = whose.admin_id AND c.key IN ('llm_source', 'model', 'think')
) models
CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(c.key = 'memory' AND c.value = 'off'), false) AS no_memory, coalesce(bool_or(c.key = 'soul' AND c.value = 'off'), false) AS no_soul,
           coalesce(bool_or(c.key = 'agent_notes' AND c.value = 'locked'), false) AS notes_locked
    FROM user_settings c WHERE c.user_id = s.user_id AND c.key IN ('memory', 'soul', 'agent_notes')
) memory
WHERE s.key = $1;

-- name: ModelAbove :one
-- The place of the session of a subagent, a job or a trigger, and the kind of the conversation above it.
SELECT p.place::jsonb AS place, coalesce(root.chat_type, s.chat_type)::text AS root
FROM sessions s JOIN session_places p ON p.session_key = s.key LEFT JOIN sessions root ON root.key = nullif(s.root, '')
WHERE s.key = $1;

-- name: ModelOffered :one
SELECT info FROM runners
WHERE name = $2 AND (user_id = $1 OR name = 'local') AND revoked_at IS NULL
ORDER BY seen_at DESC NULLS LAST
LIMIT 1;
