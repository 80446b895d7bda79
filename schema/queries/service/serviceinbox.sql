-- name: ServiceHandoverHold :one
-- Who has taken a conversation of a service, and where they speak from. Nobody takes it or gives it back until the transaction ends.
SELECT c.service_id, c.id, c.user_id, v.admin_id, v.name AS service_name, c.taken_by, c.said_from, s.title, coalesce(u.name, '')::text AS taken_name,
       EXISTS (SELECT 1 FROM users a WHERE a.id = c.said_by AND a.role = 'admin' AND a.kind = 'person' AND a.disabled_at IS NULL)::boolean AS tells
FROM service_conversations c JOIN sessions s ON s.key = c.session_key JOIN services v ON v.id = c.service_id LEFT JOIN users u ON u.id = c.taken_by
WHERE c.session_key = $1
FOR SHARE OF c;

-- name: ServiceHandoverLock :one
-- As above, for who takes it, gives it back or speaks in it: one after the other.
SELECT c.service_id, c.id, c.user_id, v.admin_id, v.name AS service_name, c.taken_by, c.said_from, s.title, coalesce(u.name, '')::text AS taken_name,
       EXISTS (SELECT 1 FROM users a WHERE a.id = c.said_by AND a.role = 'admin' AND a.kind = 'person' AND a.disabled_at IS NULL)::boolean AS tells
FROM service_conversations c JOIN sessions s ON s.key = c.session_key JOIN services v ON v.id = c.service_id LEFT JOIN users u ON u.id = c.taken_by
WHERE c.session_key = $1
FOR NO KEY UPDATE OF c;

-- name: ServiceHandoverMay :one
-- Whether somebody is an administrator, and stays one until the transaction ends. It is asked before the conversation is locked.
SELECT id FROM users WHERE id = $1 AND role = 'admin' AND kind = 'person' AND disabled_at IS NULL FOR SHARE;

-- name: ServiceHandoverSet :exec
-- Null: the conversation is given back.
UPDATE service_conversations SET taken_by = sqlc.narg(taken_by)::bigint, taken_at = CASE WHEN sqlc.narg(taken_by)::bigint IS NOT NULL THEN now() END
WHERE session_key = sqlc.arg(session_key);

-- name: ServiceSaidFrom :exec
-- Where an administrator is told what the consumer writes. Null: on the page.
UPDATE service_conversations SET said_from = sqlc.narg(said_from)::jsonb, said_by = CASE WHEN sqlc.narg(said_from)::jsonb IS NOT NULL THEN sqlc.arg(said_by)::bigint END
WHERE session_key = sqlc.arg(session_key);

-- name: ServiceHandoverOf :many
-- Who has taken which of some conversations.
SELECT c.session_key, c.taken_at, u.name FROM service_conversations c JOIN users u ON u.id = c.taken_by
WHERE c.session_key = ANY(sqlc.arg(sessions)::text[]);

-- name: ServiceHandoverWaiting :many
-- What consumers wrote that no turn has claimed, for a person to read in the transcript.
SELECT id, platform_id, body, files, accepted_at FROM inbox
WHERE session_key = $1 AND kind = 'message' AND outcome IS NULL
ORDER BY sent_at, sent_seq, id
FOR UPDATE;

-- name: ServiceHandoverKept :execrows
UPDATE inbox SET outcome = 'taken' WHERE id = $1 AND outcome IS NULL;

-- name: ServiceSaidBefore :one
SELECT m.id, coalesce(m.shown, m.content)::text AS said FROM messages m WHERE m.session_key = $1 AND m.client_message_id = sqlc.arg(client_message_id) AND m.origin = 'person' LIMIT 1;

-- name: ServiceNoticesSince :one
-- How often an administrator was told in an hour, in a chat, what consumers of a conversation wrote.
SELECT count(*)::int FROM messages WHERE session_key = $1 AND client_message_id LIKE sqlc.arg(prefix)::text || '%' AND created_at > now() - interval '1 hour';

-- name: ServiceInboxCount :one
-- How many items a conversation has added in an hour, how many all conversations of its key and of its service have, also those that are deleted, and
-- how many of its service nobody has dealt with.
SELECT (SELECT count(*) FROM service_inbox i WHERE i.session_key = c.session_key AND i.created_at > now() - interval '1 hour')::int AS hour,
       (SELECT count(*) FROM service_contacts k WHERE k.key_id = c.key_id AND k.at > now() - interval '1 hour')::int AS of_key,
       (SELECT count(*) FROM service_contacts k WHERE k.service_id = c.service_id AND k.at > now() - interval '1 hour')::int AS of_service,
       (SELECT count(*) FROM service_inbox_items v WHERE v.service_id = c.service_id AND v.status <> 'handled')::int AS open
FROM service_conversations c WHERE c.session_key = $1;

-- name: ServiceContactAdd :exec
-- Counts an item of a conversation for its key and its service, and forgets what counts no more.
WITH old AS (
    DELETE FROM service_contacts o USING service_conversations c WHERE c.session_key = sqlc.arg(session_key) AND o.service_id = c.service_id AND o.at <= now() - interval '1 hour'
)
INSERT INTO service_contacts (service_id, key_id) SELECT c.service_id, c.key_id FROM service_conversations c WHERE c.session_key = sqlc.arg(session_key);

-- name: ServiceInboxByCall :one
SELECT id, told FROM service_inbox WHERE call_id = $1;

-- name: ServiceInboxAdd :exec
INSERT INTO service_inbox (id, service_id, session_key, call_id, message) VALUES ($1, $2, $3, $4, $5);

-- name: ServiceInboxTold :exec
UPDATE service_inbox SET told = sqlc.arg(told)::bigint WHERE id = $1;

-- name: ServiceInboxNewest :many
SELECT i.id, i.message, i.created_at, c.id AS conversation, s.title FROM service_inbox i
JOIN service_conversations c ON c.session_key = i.session_key JOIN sessions s ON s.key = i.session_key
WHERE i.service_id = $1 ORDER BY i.created_at DESC, i.id LIMIT $2;

-- name: ServiceInboxPlace :one
-- Where an administrator last wrote to a bot that can answer, alone. No row: nowhere.
SELECT b.place, b.channel, b.account FROM users u
JOIN identities i ON i.kind = 'person' AND i.user_id = u.id
JOIN channel_accounts a ON a.channel = i.channel AND a.account = i.account
JOIN sessions p ON p.user_id = u.id
CROSS JOIN LATERAL (
    SELECT r.id, r.place, r.channel, r.account FROM inbox r
    WHERE r.session_key = p.key AND r.place IS NOT NULL AND r.kind <> 'background' AND r.channel = i.channel AND r.account = i.account
      AND r.place ->> 'chat_type' = 'direct' AND r.place ->> 'peer' = i.peer
    ORDER BY r.id DESC LIMIT 1
) b
WHERE u.id = $1 AND u.role = 'admin' AND u.kind = 'person' AND u.disabled_at IS NULL
ORDER BY b.id DESC LIMIT 1;

-- name: ServiceInboxSession :exec
-- The conversation in which the agent of a service tells an administrator what its consumers ask, in their archive.
INSERT INTO sessions (key, user_id, channel, title, cwd, cwd_runner, agent, chat_type, scene, origin, shelf)
VALUES (sqlc.arg(key), sqlc.arg(user_id), sqlc.arg(channel), sqlc.arg(title), '', '', sqlc.arg(agent), 'direct', '', sqlc.arg(origin), 'archived')
ON CONFLICT (key) DO NOTHING;

-- name: ServiceInboxList :many
-- Of all services or one, the newest first.
SELECT v.id, v.service_id, v.session_key, v.message, v.status, v.handled_by, v.agent_response, v.created_at, v.changed_at,
       (v.told IS NOT NULL)::boolean AS told, c.id AS conversation, s.title, sv.name AS service_name,
       coalesce(answerer.name, '')::text AS answered_by, coalesce(taker.name, '')::text AS taken_by
FROM service_inbox_items v
JOIN service_conversations c ON c.session_key = v.session_key
JOIN sessions s ON s.key = v.session_key
JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
JOIN services sv ON sv.id = v.service_id AND sv.deleted_at IS NULL
LEFT JOIN users answerer ON answerer.id = v.answered_by
LEFT JOIN users taker ON taker.id = c.taken_by
WHERE (sqlc.arg(id)::text = '' OR v.id = sqlc.arg(id)) AND (sqlc.arg(status)::text = '' OR v.status = sqlc.arg(status))
  AND (sqlc.arg(service_id)::text = '' OR v.service_id = sqlc.arg(service_id))
  AND (sqlc.narg(before)::timestamptz IS NULL OR v.created_at < sqlc.narg(before)::timestamptz)
ORDER BY v.created_at DESC, v.id
LIMIT sqlc.arg(n);

-- name: ServiceInboxUnread :one
-- Items that nobody has looked at, and conversations that are taken in which the consumer has the last word.
SELECT (SELECT count(*) FROM service_inbox_items v
        JOIN service_conversations c ON c.session_key = v.session_key
        JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
        JOIN services sv ON sv.id = v.service_id AND sv.deleted_at IS NULL
        WHERE v.status = 'unread')::int AS items,
       (SELECT count(*) FROM service_conversations c
        JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
        JOIN services sv ON sv.id = c.service_id AND sv.deleted_at IS NULL
        WHERE c.taken_by IS NOT NULL AND (
            SELECT m.role FROM messages m WHERE m.session_key = c.session_key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND m.rewound_by IS NULL
            ORDER BY m.id DESC LIMIT 1) = 'user')::int AS waiting;

-- name: ServiceInboxTaken :many
-- Conversations that somebody has taken, those in which the consumer waits first.
SELECT c.id, c.service_id, c.session_key, s.title, sv.name AS service_name, t.name AS taken_by, c.taken_at, coalesce(last.role, '')::text AS last_role
FROM service_conversations c
JOIN sessions s ON s.key = c.session_key
JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
JOIN users t ON t.id = c.taken_by
JOIN services sv ON sv.id = c.service_id AND sv.deleted_at IS NULL
LEFT JOIN LATERAL (
    SELECT m.role FROM messages m WHERE m.session_key = c.session_key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND m.rewound_by IS NULL
    ORDER BY m.id DESC LIMIT 1
) last ON true
ORDER BY last.role = 'user' DESC NULLS LAST, c.taken_at DESC
LIMIT 200;

-- name: ServiceInboxSet :execrows
-- A person has looked at an item, or dealt with it. Who answered it first stays.
UPDATE service_inbox SET status = sqlc.arg(status), by_hand = true, changed_at = now(), answered_by = coalesce(answered_by, sqlc.narg(answered_by)::bigint)
WHERE id = sqlc.arg(id);

-- name: ServiceInboxDelete :execrows
DELETE FROM service_inbox WHERE id = $1;

-- name: ServiceInboxSaid :one
-- Which conversation of a consumer a message is about that was sent in the session of an inbox, by the platform's id of a piece of it, or by
-- what replies name it.
SELECT c.service_id, c.id, coalesce(i.id, '')::text AS item
FROM outbound o
JOIN messages m ON m.id = o.message_id
LEFT JOIN inbox r ON r.turn_id = m.turn_id AND r.kind = 'background'
LEFT JOIN service_inbox i ON i.told = r.id
LEFT JOIN inbox w ON w.id = m.inbox_id
JOIN service_conversations c ON c.session_key = coalesce(i.session_key, w.session_key)
JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
WHERE o.session_key = sqlc.arg(session_key) AND o.channel = sqlc.arg(channel) AND o.account = sqlc.arg(account)
  AND (o.parts @> jsonb_build_array(jsonb_build_object('id', sqlc.arg(piece)::text)) OR o.parts @> jsonb_build_array(jsonb_build_object('quoted', sqlc.arg(piece)::text)))
ORDER BY o.id DESC LIMIT 1;

-- name: ServiceOfConversation :one
SELECT c.service_id FROM service_conversations c WHERE c.id = $1;

-- name: ServiceStopTurn :exec
-- Stops the running turn of a conversation as a person's stop does.
INSERT INTO inbox (session_key, user_id, kind, channel, platform_id, target_turn, mode)
VALUES (sqlc.arg(session_key), sqlc.arg(user_id), 'stop', sqlc.arg(channel), sqlc.arg(platform_id), sqlc.arg(turn)::text, 'followup');
