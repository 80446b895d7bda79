-- name: AnswerRow :one
-- What became of a message, of a command, or of an answer to a question; where another message took its place, of that one. An empty turn:
-- none has it yet, or none ever will.
SELECT i.kind, coalesce(heir.outcome, CASE WHEN heir.id IS NULL THEN i.outcome END, '')::text AS outcome, coalesce(i.turn_id, heir.turn_id, '')::text AS turn
FROM inbox i LEFT JOIN inbox heir ON heir.id = i.replaced_by
WHERE i.id = sqlc.arg(id) AND i.session_key = sqlc.arg(session_key);

-- name: AnswerOfTurn :one
-- What a turn has said last without calling a tool, and why it ended without an answer.
SELECT sqlc.embed(t), coalesce(m.content, '')::text AS answer, coalesce(m.silent, false)::boolean AS silent,
       coalesce(CASE WHEN t.state IN ('stopped', 'failed', 'lost') THEN (
           SELECT n.content FROM messages n
           WHERE n.session_key = t.session_key AND n.turn_id = t.id AND n.role = 'notice' AND n.origin = '' ORDER BY n.id DESC LIMIT 1
       ) END, '')::text AS notice
FROM turns t LEFT JOIN LATERAL (
    SELECT a.content, a.silent FROM messages a
    WHERE a.turn_id = t.id AND a.role = 'assistant' AND NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.message_id = a.id)
    ORDER BY a.step DESC LIMIT 1
) m ON true
WHERE t.id = sqlc.arg(id) AND t.session_key = sqlc.arg(session_key);

-- name: AnswerFirstEvent :one
-- Where the events of a message begin that is answered now: where it was queued last or was taken by the turn that answers it.
SELECT seq FROM feed_events
WHERE session_key = sqlc.arg(session_key) AND kind IN ('queued', 'dropped', 'message') AND (data ->> 'inbox_id')::bigint = sqlc.arg(inbox_id)::bigint
  AND coalesce(data ->> 'role', 'user') = 'user'
ORDER BY seq DESC
LIMIT 1;

-- name: AnswerTurnBegan :one
-- Where the events begin of the turn that had begun last at a place of the feed. 0: none had, or they are not kept any more.
SELECT coalesce((
    SELECT f.seq FROM feed_events f
    WHERE f.session_key = sqlc.arg(session_key) AND f.kind = 'turn' AND f.data ->> 'id' = (
        SELECT l.data ->> 'id' FROM feed_events l
        WHERE l.session_key = sqlc.arg(session_key) AND l.kind = 'turn' AND l.seq <= sqlc.arg(seq)::bigint
        ORDER BY l.seq DESC LIMIT 1
    )
    ORDER BY f.seq LIMIT 1
), 0)::bigint AS seq;

-- name: AnswerPlace :one
-- Where a message stands in the transcript, and the last step of its turn before it: the turn may have run when it came. -1: none.
SELECT u.id, u.origin, coalesce(u.turn_id, '')::text AS turn, coalesce((
    SELECT max(a.step) FROM messages a WHERE a.turn_id = u.turn_id AND a.role = 'assistant' AND a.id < u.id
), -1)::int AS step
FROM messages u
WHERE u.session_key = sqlc.arg(session_key) AND u.inbox_id = sqlc.arg(inbox_id)::bigint AND u.role = 'user';

-- name: AnswerAsked :one
-- A message of a person, by its row alone.
SELECT session_key, accepted_at, body, options FROM inbox
WHERE id = sqlc.arg(id)::bigint AND user_id = sqlc.arg(user_id) AND channel = sqlc.arg(channel) AND kind = 'message' AND NOT options ? 'forgotten';

-- name: AnswerForget :exec
-- Has a message not be found by its row any more. It stays in its conversation.
UPDATE inbox SET options = options || '{"forgotten": true}'
WHERE id = sqlc.arg(id)::bigint AND user_id = sqlc.arg(user_id) AND channel = sqlc.arg(channel) AND kind = 'message';

-- name: AnswerClientCalls :many
-- The calls of tools of a program that were made in the step of a call, in a conversation of a person; none where there is no such step.
SELECT c.* FROM tool_calls c
JOIN sessions s ON s.key = c.session_key
WHERE c.turn_id = sqlc.arg(turn_id) AND c.step = sqlc.arg(step) AND c.class = 'client' AND s.user_id = sqlc.arg(user_id)
ORDER BY c.n;

-- name: AnswerClientResult :one
-- Records the result of a client tool. No row: there is a result already, which is kept.
UPDATE tool_calls SET result = sqlc.arg(result), is_error = false, started_at = now(), finished_at = now()
WHERE id = sqlc.arg(id) AND class = 'client' AND state = 'done' AND started_at IS NULL
RETURNING *;

-- name: AnswerNewest :one
-- The newest message of a conversation; 0: there is none.
SELECT coalesce(max(id), 0)::bigint FROM inbox WHERE session_key = sqlc.arg(session_key) AND kind = 'message';

-- name: AnswerReleaseID :exec
-- Takes its id from a message, or from one row alone, so that the next message may have it.
UPDATE inbox SET platform_id = platform_id || '-' || id
WHERE channel = sqlc.arg(channel) AND account = '' AND user_id = sqlc.arg(user_id) AND platform_id = sqlc.arg(platform_id)
  AND (sqlc.arg(row)::bigint = 0 OR id = sqlc.arg(row)::bigint);
