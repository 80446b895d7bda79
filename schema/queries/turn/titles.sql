-- name: TitleSubject :one
-- What a title is made of: what a person said first in a turn, and what was answered last. No row: the conversation has been
-- named meanwhile, or its person wants no such titles, or nothing was said.
SELECT left(q.content, sqlc.arg(most)::int)::text AS question, left(a.content, sqlc.arg(most)::int)::text AS answer
FROM sessions s
CROSS JOIN LATERAL (
    SELECT m.content FROM messages m
    WHERE m.turn_id = sqlc.arg(turn_id) AND m.session_key = s.key AND m.role = 'user' AND NOT m.display_only AND m.origin = '' AND m.content <> ''
    ORDER BY m.id LIMIT 1
) q
CROSS JOIN LATERAL (
    SELECT m.content FROM messages m
    WHERE m.turn_id = sqlc.arg(turn_id) AND m.session_key = s.key AND m.role = 'assistant' AND m.content <> ''
    ORDER BY m.id DESC LIMIT 1
) a
WHERE s.key = sqlc.arg(session_key) AND s.title_open
  AND NOT EXISTS (SELECT 1 FROM user_settings u WHERE u.user_id = s.user_id AND u.key = 'titles' AND u.value = 'off');

-- name: TitleCapacity :one
-- Whether a model may be called for a conversation now, beside the calls of its tenant that go on.
SELECT ((
    SELECT count(*) FROM llm_leases l
    WHERE l.user_id = t.user_id AND l.held_until > clock_timestamp() AND l.pool = CASE WHEN t.own THEN 'personal' ELSE 'global' END
) < CASE WHEN t.own THEN sqlc.arg(most_personal)::int ELSE sqlc.arg(most_global)::int END)::boolean AS free
FROM session_tenants t WHERE t.session_key = sqlc.arg(session_key);

-- name: TitleGive :execrows
-- Whoever names the conversation first has named it. An empty title leaves the one that is there, for good.
UPDATE sessions SET title = CASE WHEN sqlc.arg(title)::text = '' THEN title ELSE sqlc.arg(title)::text END, title_open = false
WHERE key = sqlc.arg(session_key) AND title_open;
