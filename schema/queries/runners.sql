-- name: RunnerEnsure :one
-- Makes a runner of the server's own, or gives it a new token.
INSERT INTO runners (user_id, name, token_hash) VALUES ($1, $2, $3)
ON CONFLICT (user_id, name) DO UPDATE SET token_hash = EXCLUDED.token_hash, revoked_at = NULL
RETURNING id;

-- name: RunnerCreate :one
-- No row: the name is taken. A name that was revoked is free again.
INSERT INTO runners (user_id, name, token_hash) VALUES ($1, $2, $3)
ON CONFLICT (user_id, name) DO UPDATE
SET token_hash = EXCLUDED.token_hash, revoked_at = NULL, created_at = now(), info = NULL, seen_at = NULL
WHERE runners.revoked_at IS NOT NULL
RETURNING id;

-- name: RunnerRenew :execrows
UPDATE runners SET token_hash = $3 WHERE user_id = $1 AND name = $2 AND revoked_at IS NULL;

-- name: RunnerRevoke :execrows
UPDATE runners SET revoked_at = now() WHERE user_id = $1 AND name = $2 AND revoked_at IS NULL;

-- name: RunnerByToken :one
SELECT r.id, r.user_id, r.name, r.token_hash, u.role
FROM runners r JOIN users u ON u.id = r.user_id
WHERE r.token_hash = $1 AND r.revoked_at IS NULL;

-- name: RunnerConnected :exec
UPDATE runners SET info = $2, seen_at = now() WHERE token_hash = $1;

-- name: RunnersSeen :many
-- Notes that connections made with these tokens stand, and tells which of the tokens are still good.
WITH seen AS (
    UPDATE runners SET seen_at = now()
    WHERE token_hash = ANY(sqlc.arg(hashes)::bytea[]) AND revoked_at IS NULL
    RETURNING token_hash, user_id, name
), held AS (
    UPDATE connections c SET seen_at = now()
    FROM seen s
    WHERE c.name = CASE WHEN s.name = 'local' THEN 'local' ELSE s.user_id || '/' || s.name END AND c.connected
)
SELECT token_hash FROM seen;

-- name: RunnerList :many
-- Runners with their connections. An ingress that was killed leaves its rows in connections as they were: one that nobody
-- has seen for 45 s, three looks, has ended. For one user: theirs, and for administrators the server's host.
SELECT r.name, r.user_id, u.name AS owner, r.created_at, r.info, r.seen_at, c.connected_at,
       coalesce(c.connected AND c.seen_at > now() - interval '45 seconds', false)::boolean AS online
FROM runners r
JOIN users u ON u.id = r.user_id
LEFT JOIN connections c ON c.name = CASE WHEN r.name = 'local' THEN 'local' ELSE r.user_id || '/' || r.name END
WHERE r.revoked_at IS NULL
  AND (sqlc.narg(owner)::bigint IS NULL OR r.user_id = sqlc.narg(owner)::bigint OR (sqlc.arg(host)::boolean AND r.name = 'local'))
ORDER BY r.name, r.user_id;

-- name: RunnerChoice :one
-- The runner that a user's command asks for: the given one, else their active one, else none. sole is the only one of
-- theirs that is connected, else the only one that ever was; without exactly one it is empty. outside: they are no person of the house.
WITH own AS (
    SELECT r.name, coalesce(c.connected AND r.seen_at > now() - interval '45 seconds', false) AS online
    FROM runners r LEFT JOIN connections c ON c.name = r.user_id || '/' || r.name
    WHERE r.user_id = sqlc.arg(owner)::bigint AND r.revoked_at IS NULL AND r.info IS NOT NULL AND r.name NOT IN ('local', '__docker__')
), chosen AS (
    SELECT coalesce(
        nullif(sqlc.arg(asked)::text, ''),
        (SELECT s.value FROM user_settings s WHERE s.user_id = sqlc.arg(owner)::bigint AND s.key = 'active_runner'),
        '')::text AS name
)
SELECT u.role, (u.kind IN ('service', 'consumer'))::boolean AS outside, chosen.name,
       EXISTS (SELECT 1 FROM runners r WHERE r.user_id = u.id AND r.name = chosen.name AND r.revoked_at IS NULL) AS known,
       coalesce((SELECT min(own.name) FROM own WHERE own.online HAVING count(*) = 1),
                (SELECT min(own.name) FROM own HAVING count(*) = 1), '')::text AS sole
FROM users u, chosen
WHERE u.id = sqlc.arg(owner)::bigint;

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

-- name: ConnectionOpen :one
INSERT INTO connections (name, holder) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, epoch = connections.epoch + 1, connected = true, connected_at = now(), seen_at = now()
RETURNING epoch;

-- name: ConnectionClose :exec
UPDATE connections SET connected = false WHERE name = $1 AND epoch = $2;

-- name: ConnectionHolder :one
-- Who holds a connection. One whose holder was killed has ended, as in RunnerList.
SELECT holder, epoch, (connected AND seen_at > now() - interval '45 seconds')::boolean AS connected FROM connections WHERE name = $1;

-- name: RunnerConfinement :one
-- No row: no administrator has chosen.
SELECT c.confine, c.changed_at, coalesce(u.name, '')::text AS changed_by
FROM runner_confinement c LEFT JOIN users u ON u.id = c.changed_by WHERE c.runner = 'local';

-- name: RunnerConfinementSet :exec
-- Repeating the same choice changes neither its author nor its time.
INSERT INTO runner_confinement AS c (runner, confine, changed_by) VALUES ('local', $1, $2)
ON CONFLICT (runner) DO UPDATE SET confine = EXCLUDED.confine, changed_by = EXCLUDED.changed_by, changed_at = now()
WHERE c.confine <> EXCLUDED.confine;
