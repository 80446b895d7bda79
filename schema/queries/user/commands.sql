-- name: Speaks :one
-- What tells in which language people are addressed in a conversation. chosen is the choice of the person, or of the owner where none is
-- named; usual that of the policy. here is what was written last in the conversation, of a subagent in that for which it works: what waits,
-- what is in it, what was overheard (without the names of who said it). wrote is what the person wrote last elsewhere. Newest first; empty where the conversation is none.
WITH at AS (
    SELECT coalesce((SELECT a.root FROM subagents a WHERE a.session_key = sqlc.arg(session_key)), sqlc.arg(session_key))::text AS key
), room AS (
    SELECT s.user_id, s.chat_type IN ('group', 'channel', 'thread') AND u.kind = 'group' AS shared
    FROM at JOIN sessions s ON s.key = at.key JOIN users u ON u.id = s.user_id
), who AS (
    SELECT coalesce(nullif(sqlc.arg(user_id)::bigint, 0), (SELECT r.user_id FROM room r), 0) AS id
)
SELECT coalesce((SELECT u.value FROM user_settings u JOIN who ON u.user_id = who.id WHERE u.key = 'language'), '')::text AS chosen,
    coalesce((SELECT p.body->>'language' FROM policies p ORDER BY p.id DESC LIMIT 1), '')::text AS usual,
    coalesce((SELECT r.shared FROM room r), false)::boolean AS shared,
    ARRAY(
        SELECT left(said.text, 2000) FROM at CROSS JOIN LATERAL (
            (SELECT i.body AS text, i.sent_at AS at, i.id FROM inbox i
             WHERE i.session_key = at.key AND i.kind = 'message' AND i.outcome IS NULL ORDER BY i.id DESC LIMIT 10)
            UNION ALL
            (SELECT CASE WHEN m.origin = 'overheard' THEN regexp_replace(m.content, '^([^:\n]{1,100}: |- |  )', '', 'gn') ELSE m.content END, m.created_at, m.id
             FROM (SELECT n.* FROM messages n WHERE n.session_key = at.key ORDER BY n.id DESC LIMIT 500) m
             WHERE m.role = 'user' AND m.origin IN ('', 'overheard') AND NOT m.display_only ORDER BY m.id DESC LIMIT 10)
            UNION ALL
            (SELECT o.body, o.sent_at, o.id FROM overheard o
             WHERE o.session_key = at.key AND NOT o.taken ORDER BY o.sent_at DESC, o.id DESC LIMIT 10)
        ) said ORDER BY said.at DESC, said.id DESC
    )::text[] AS here,
    ARRAY(
        SELECT left(m.content, 2000)
        FROM who
        CROSS JOIN LATERAL (SELECT s.key, s.last_interaction_at FROM sessions s WHERE s.user_id = who.id ORDER BY s.last_interaction_at DESC LIMIT 5) s
        CROSS JOIN LATERAL (
            SELECT n.content, n.id
            FROM (SELECT o.* FROM messages o WHERE o.session_key = s.key ORDER BY o.id DESC LIMIT 100) n
            WHERE n.role = 'user' AND n.origin = '' AND NOT n.display_only
            ORDER BY n.id DESC LIMIT 3) m
        ORDER BY s.last_interaction_at DESC, m.id DESC
    )::text[] AS wrote;
