-- name: SearchPast :many
-- The newest messages of a user's conversations with some agents, from a span of time, that a search by words finds; without words all. Of one
-- conversation only what its model does not see any more: what is before its last compaction or reset.
SELECT s.key, f.role, f.created_at, f.content::text AS content
FROM sessions s
LEFT JOIN controls c ON c.id = s.compaction_id
LEFT JOIN controls r ON r.id = s.reset_id
CROSS JOIN LATERAL (
    SELECT m.id, m.role, m.created_at, left(coalesce(m.shown, m.content), sqlc.arg(letters)::int) AS content
    FROM messages m
    WHERE m.session_key = s.key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL
      AND coalesce(m.shown, m.content) <> ''
      AND m.created_at >= sqlc.arg(since)::timestamptz AND m.created_at < sqlc.arg(until)::timestamptz
      AND (s.key <> sqlc.arg(here)::text OR m.id <= greatest(coalesce(c.message_id, 0), coalesce(r.message_id, 0)))
      AND (sqlc.arg(query)::text = '' OR EXISTS (SELECT 1 FROM message_words w WHERE w.message_id = m.id AND w.words @@ sqlc.arg(query)::text::tsquery))
    ORDER BY m.id DESC
    LIMIT sqlc.arg(n)
) f
WHERE s.user_id = sqlc.arg(owner)
  AND (cardinality(sqlc.arg(these)::text[]) = 0 OR s.agent = ANY (sqlc.arg(these)::text[])) AND NOT s.agent = ANY (sqlc.arg(others)::text[])
ORDER BY f.id DESC
LIMIT sqlc.arg(n);
