-- name: Search :many
-- The newest messages of a user's conversations, or of only one of them, that a search by words finds, also from before a reset. Rare words are looked up
-- in the index of all messages. If it has more than few of them, the conversations of the user are read, so that messages of others cost nothing, and of these
-- only what is among the newest messages of all. rare says that it was the index, whose hits are complete.
WITH rare AS MATERIALIZED (
    SELECT w.message_id FROM message_words w WHERE w.words @@ sqlc.arg(query)::text::tsquery LIMIT sqlc.arg(few)::int + 1
), hits AS (
    SELECT m.id FROM rare JOIN messages m ON m.id = rare.message_id JOIN sessions s ON s.key = m.session_key
    WHERE (SELECT count(*) FROM rare) <= sqlc.arg(few)::int
      AND s.user_id = sqlc.arg(owner) AND (sqlc.arg(inside)::text = '' OR s.key = sqlc.arg(inside)::text)
      AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL
    UNION ALL
    SELECT f.id FROM sessions s
    CROSS JOIN LATERAL (
        SELECT m.id FROM messages m JOIN message_words w ON w.message_id = m.id
        WHERE m.session_key = s.key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL
          AND w.words @@ sqlc.arg(query)::text::tsquery
          AND m.id > (SELECT coalesce(max(x.id), 0) FROM messages x) - sqlc.arg(newest)::bigint
        ORDER BY m.id DESC
        LIMIT sqlc.arg(n)
    ) f
    WHERE (SELECT count(*) FROM rare) > sqlc.arg(few)::int
      AND s.user_id = sqlc.arg(owner) AND (sqlc.arg(inside)::text = '' OR s.key = sqlc.arg(inside)::text)
    ORDER BY id DESC
    LIMIT sqlc.arg(n)
)
SELECT s.key, s.title, m.id, m.role, m.created_at, left(coalesce(m.shown, m.content), sqlc.arg(letters)::int)::text AS content,
       ((SELECT count(*) FROM rare) <= sqlc.arg(few)::int)::boolean AS rare
FROM hits h JOIN messages m ON m.id = h.id JOIN sessions s ON s.key = m.session_key
ORDER BY m.id DESC;

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

-- name: UnseenMessages :many
-- The newest messages of one conversation that its model does not see any more: what is before its last compaction or reset. With words those that a
-- search by them finds.
SELECT m.id, m.role, m.sender, m.created_at, left(coalesce(m.shown, m.content), sqlc.arg(letters)::int)::text AS content
FROM sessions s
LEFT JOIN controls c ON c.id = s.compaction_id
LEFT JOIN controls r ON r.id = s.reset_id
JOIN messages m ON m.session_key = s.key AND m.id <= greatest(coalesce(c.message_id, 0), coalesce(r.message_id, 0))
WHERE s.key = sqlc.arg(session) AND m.id < sqlc.arg(before)::bigint
  AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL AND coalesce(m.shown, m.content) <> ''
  AND (sqlc.arg(query)::text = '' OR EXISTS (SELECT 1 FROM message_words w WHERE w.message_id = m.id AND w.words @@ sqlc.arg(query)::text::tsquery))
ORDER BY m.id DESC
LIMIT sqlc.arg(n);

-- name: UnseenOverheard :many
-- The newest of what was overheard in the group of a conversation and has not come into its transcript, in the order in which it arrived.
SELECT o.id, o.sender, o.sent_at, o.body FROM overheard o
WHERE o.session_key = sqlc.arg(session)::text AND NOT o.taken AND o.id < sqlc.arg(before)::bigint AND o.body <> ''
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = o.session_key AND i.channel = o.channel AND i.platform_id = o.platform_id)
ORDER BY o.id DESC
LIMIT sqlc.arg(n);

-- name: WordIndexNext :one
-- Locks an index by words that is of an older version, or not complete; those that another process locks are left to it.
SELECT name, version, below FROM word_indexes
WHERE version < sqlc.arg(version)::int OR version = sqlc.arg(version)::int AND below > 0
ORDER BY name LIMIT 1
FOR UPDATE SKIP LOCKED;

-- name: WordIndexPending :one
SELECT EXISTS (SELECT 1 FROM word_indexes WHERE version < sqlc.arg(version)::int OR version = sqlc.arg(version)::int AND below > 0);

-- name: WordIndexSet :exec
UPDATE word_indexes SET version = $2, below = $3 WHERE name = $1;

-- name: WordIndexTexts :many
-- The newest texts of an index with smaller ids than below; 0: the newest of all. Of messages that no search finds the text is empty.
(SELECT m.id::bigint AS id, (CASE WHEN m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent THEN coalesce(m.shown, m.content) ELSE '' END)::text AS content
 FROM messages m
 WHERE sqlc.arg(name)::text = 'messages' AND (sqlc.arg(below)::bigint = 0 OR m.id < sqlc.arg(below)::bigint) ORDER BY m.id DESC LIMIT sqlc.arg(n))
UNION ALL
(SELECT a.id::bigint, a.content FROM archival_memory a
 WHERE sqlc.arg(name)::text = 'archival_memory' AND (sqlc.arg(below)::bigint = 0 OR a.id < sqlc.arg(below)::bigint) ORDER BY a.id DESC LIMIT sqlc.arg(n))
UNION ALL
(SELECT e.id::bigint, e.entry FROM event_history e
 WHERE sqlc.arg(name)::text = 'event_history' AND (sqlc.arg(below)::bigint = 0 OR e.id < sqlc.arg(below)::bigint) ORDER BY e.id DESC LIMIT sqlc.arg(n))
ORDER BY id DESC;

-- name: WordIndexMessages :exec
-- Messages that another transaction deletes are left out.
INSERT INTO message_words (message_id, words)
SELECT m.id, n.words::tsvector
FROM (SELECT unnest(sqlc.arg(ids)::bigint[]) AS id, unnest(sqlc.arg(words)::text[]) AS words) n
JOIN messages m ON m.id = n.id
FOR KEY SHARE OF m SKIP LOCKED
ON CONFLICT (message_id) DO UPDATE SET words = EXCLUDED.words WHERE message_words.words <> EXCLUDED.words;

-- name: WordIndexArchive :exec
UPDATE archival_memory a SET words = n.words::tsvector, size = n.size
FROM (SELECT unnest(sqlc.arg(ids)::bigint[]) AS id, unnest(sqlc.arg(words)::text[]) AS words, unnest(sqlc.arg(sizes)::int[]) AS size) n
WHERE a.id = n.id AND a.words <> n.words::tsvector;

-- name: WordIndexHistory :exec
UPDATE event_history e SET words = n.words::tsvector, size = n.size
FROM (SELECT unnest(sqlc.arg(ids)::bigint[]) AS id, unnest(sqlc.arg(words)::text[]) AS words, unnest(sqlc.arg(sizes)::int[]) AS size) n
WHERE e.id = n.id AND e.words <> n.words::tsvector;
