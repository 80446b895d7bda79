-- name: Search :many
-- The newest messages of a user's conversations, or of only one of them, that hold all of some patterns, also from before a reset. Each conversation is
-- read from its end, so that messages of others cost nothing; fold ignores case, which takes twice as long.
SELECT s.key, s.title, f.id, f.role, f.created_at, f.snippet::text AS snippet
FROM sessions s
CROSS JOIN LATERAL (
    SELECT m.id, m.role, m.created_at,
           substr(coalesce(m.shown, m.content), greatest(1, strpos(lower(coalesce(m.shown, m.content)), lower(sqlc.arg(first)::text)) - 40), 240) AS snippet
    FROM messages m
    WHERE m.session_key = s.key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL
      AND CASE WHEN sqlc.arg(fold)::boolean THEN coalesce(m.shown, m.content) ILIKE ALL (sqlc.arg(patterns)::text[])
               ELSE coalesce(m.shown, m.content) LIKE ALL (sqlc.arg(patterns)::text[]) END
    ORDER BY m.id DESC
    LIMIT sqlc.arg(n)
) f
WHERE s.user_id = sqlc.arg(owner) AND (sqlc.arg(inside)::text = '' OR s.key = sqlc.arg(inside)::text)
ORDER BY f.id DESC
LIMIT sqlc.arg(n);
