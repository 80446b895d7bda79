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

-- name: Lately :many
-- The newest messages of the conversation with the person that one of a job or trigger has to do with: where its answers go,
-- else where it was made, else the one of the same agent that was used last. Nothing from before its last reset.
SELECT m.role, m.created_at, coalesce(m.shown, m.content)::text AS content, s.key
FROM messages m
JOIN LATERAL (
    SELECT s.key, coalesce(r.message_id, 0) AS began
    FROM sessions here
    LEFT JOIN cron_jobs j ON here.chat_type = 'cron' AND j.id = substr(here.key, 6) -- behind cron:
    LEFT JOIN triggers t ON t.session_key = here.key
    JOIN sessions s ON s.user_id = here.user_id AND s.agent = here.agent AND s.chat_type NOT IN ('cron', 'hook', 'subagent')
    LEFT JOIN controls r ON r.id = s.reset_id
    WHERE here.key = sqlc.arg(here)
    ORDER BY (s.key = coalesce(j.deliver, t.answer_in, '')) DESC, (s.key = coalesce(j.home, '')) DESC, s.last_interaction_at DESC, s.key
    LIMIT 1
) s ON m.session_key = s.key
WHERE m.id > s.began AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL
  AND coalesce(m.shown, m.content) <> ''
ORDER BY m.id DESC
LIMIT sqlc.arg(n);

-- name: ConversationList :many
-- The conversations of a user with some agents, those of subagents left out, the one used last first.
SELECT s.key, s.title, s.last_interaction_at FROM sessions s
WHERE s.user_id = sqlc.arg(owner) AND s.chat_type <> 'subagent'
  AND (cardinality(sqlc.arg(these)::text[]) = 0 OR s.agent = ANY (sqlc.arg(these)::text[])) AND NOT s.agent = ANY (sqlc.arg(others)::text[])
ORDER BY s.last_interaction_at DESC, s.key
LIMIT sqlc.arg(n);

-- name: ConversationRead :many
-- The newest messages of such a conversation before one, also those that its model does not see any more.
SELECT m.id, m.role, m.created_at, coalesce(m.shown, m.content)::text AS content
FROM sessions s JOIN messages m ON m.session_key = s.key
WHERE s.key = sqlc.arg(session) AND s.user_id = sqlc.arg(owner) AND s.chat_type <> 'subagent'
  AND (cardinality(sqlc.arg(these)::text[]) = 0 OR s.agent = ANY (sqlc.arg(these)::text[])) AND NOT s.agent = ANY (sqlc.arg(others)::text[])
  AND m.id < sqlc.arg(before)::bigint AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL
  AND coalesce(m.shown, m.content) <> ''
ORDER BY m.id DESC
LIMIT sqlc.arg(n);

-- name: SearchPast :many
-- The newest messages of a user's conversations with some agents, from a span of time, that hold all of some patterns, or any
-- of them. Of one conversation only what its model does not see any more: what is before its last compaction or reset.
SELECT s.key, f.role, f.created_at, f.snippet::text AS snippet
FROM sessions s
LEFT JOIN controls c ON c.id = s.compaction_id
LEFT JOIN controls r ON r.id = s.reset_id
CROSS JOIN LATERAL (
    SELECT m.id, m.role, m.created_at,
           substr(coalesce(m.shown, m.content), greatest(1, strpos(lower(coalesce(m.shown, m.content)), lower(sqlc.arg(first)::text)) - 100), 400) AS snippet
    FROM messages m
    WHERE m.session_key = s.key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL
      AND coalesce(m.shown, m.content) <> ''
      AND m.created_at >= sqlc.arg(since)::timestamptz AND m.created_at < sqlc.arg(until)::timestamptz
      AND (s.key <> sqlc.arg(here)::text OR m.id <= greatest(coalesce(c.message_id, 0), coalesce(r.message_id, 0)))
      AND CASE WHEN cardinality(sqlc.arg(patterns)::text[]) = 0 THEN true
               WHEN sqlc.arg(every)::boolean THEN coalesce(m.shown, m.content) ILIKE ALL (sqlc.arg(patterns)::text[])
               ELSE coalesce(m.shown, m.content) ILIKE ANY (sqlc.arg(patterns)::text[]) END
    ORDER BY m.id DESC
    LIMIT sqlc.arg(n)
) f
WHERE s.user_id = sqlc.arg(owner)
  AND (cardinality(sqlc.arg(these)::text[]) = 0 OR s.agent = ANY (sqlc.arg(these)::text[])) AND NOT s.agent = ANY (sqlc.arg(others)::text[])
ORDER BY f.id DESC
LIMIT sqlc.arg(n);

-- name: UnseenMessages :many
-- The newest messages of one conversation that its model does not see any more: what is before its last compaction or reset. With patterns those
-- that hold all of them. Of a long text the part around the first word.
SELECT m.id, m.role, m.sender, m.created_at,
       substr(coalesce(m.shown, m.content), greatest(1, strpos(lower(coalesce(m.shown, m.content)), lower(sqlc.arg(first)::text)) - 200), 2000)::text AS content
FROM sessions s
LEFT JOIN controls c ON c.id = s.compaction_id
LEFT JOIN controls r ON r.id = s.reset_id
JOIN messages m ON m.session_key = s.key AND m.id <= greatest(coalesce(c.message_id, 0), coalesce(r.message_id, 0))
WHERE s.key = sqlc.arg(session) AND m.id < sqlc.arg(before)::bigint
  AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL AND coalesce(m.shown, m.content) <> ''
  AND (cardinality(sqlc.arg(patterns)::text[]) = 0 OR coalesce(m.shown, m.content) ILIKE ALL (sqlc.arg(patterns)::text[]))
ORDER BY m.id DESC
LIMIT sqlc.arg(n);

-- name: UnseenOverheard :many
-- The newest of what was overheard in the group of a conversation and has not come into its transcript, in the order in which it arrived.
SELECT o.id, o.sender, o.sent_at, o.body FROM overheard o
WHERE o.session_key = sqlc.arg(session)::text AND NOT o.taken AND o.id < sqlc.arg(before)::bigint AND o.body <> ''
  AND (cardinality(sqlc.arg(patterns)::text[]) = 0 OR o.body ILIKE ALL (sqlc.arg(patterns)::text[]))
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = o.session_key AND i.channel = o.channel AND i.platform_id = o.platform_id)
ORDER BY o.id DESC
LIMIT sqlc.arg(n);
