-- name: Speaks :one
-- What says in which language a person is answered: what they chose, and the ordinary message that they wrote last: one that
-- waits, one in the conversation, or one in another conversation of theirs.
SELECT coalesce((SELECT u.value FROM user_settings u WHERE u.user_id = sqlc.arg(user_id) AND u.key = 'language'), '')::text AS chosen,
    left(coalesce(
        (SELECT i.body FROM inbox i
         WHERE i.session_key = sqlc.arg(session_key) AND i.user_id = sqlc.arg(user_id) AND i.kind = 'message' AND i.outcome IS NULL
         ORDER BY i.sent_at DESC, i.sent_seq DESC, i.id DESC LIMIT 1),
        (SELECT m.content FROM messages m
         WHERE m.session_key = sqlc.arg(session_key) AND m.role = 'user' AND m.origin = '' AND NOT m.display_only
         ORDER BY m.id DESC LIMIT 1),
        (SELECT m.content
         FROM (SELECT s.key, s.last_interaction_at FROM sessions s WHERE s.user_id = sqlc.arg(user_id) ORDER BY s.last_interaction_at DESC LIMIT 5) s
         CROSS JOIN LATERAL (
             SELECT m.content FROM messages m
             WHERE m.session_key = s.key AND m.role = 'user' AND m.origin = '' AND NOT m.display_only
             ORDER BY m.id DESC LIMIT 1) m
         ORDER BY s.last_interaction_at DESC LIMIT 1),
        ''), 2000)::text AS wrote;

-- name: WorkOf :one
-- What a turn does now: how many calls of the model it has begun, and its tool calls that run.
SELECT t.run_id, t.started_at, t.model,
    coalesce((SELECT max(s.step) + 1 FROM steps s WHERE s.turn_id = t.id), 0)::int AS steps,
    coalesce((SELECT string_agg(c.name, ', ' ORDER BY c.step, c.n) FROM tool_calls c WHERE c.turn_id = t.id AND c.state = 'running'), '')::text AS tools
FROM turns t WHERE t.id = $1;

-- name: RunningList :many
-- Turns that run, the oldest first.
SELECT id, session_key, steps, started_at FROM turns WHERE state = 'running' ORDER BY started_at LIMIT sqlc.arg(n);

-- name: IdentitiesOf :many
-- Whom a user is elsewhere.
SELECT channel, account, peer FROM identities WHERE user_id = $1 AND kind = 'person' ORDER BY channel, account, peer;
