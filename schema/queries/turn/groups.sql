-- name: GroupInsert :exec
INSERT INTO group_chats (id, session_key, call_id, tree, topic, max_rounds, members) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: GroupMemberInsert :exec
INSERT INTO group_members (group_id, n, session_key, name) VALUES ($1, $2, $3, $4);

-- name: GroupByCall :one
SELECT id FROM group_chats WHERE call_id = $1;

-- name: GroupLock :one
SELECT * FROM group_chats WHERE id = $1 FOR NO KEY UPDATE;

-- name: GroupsOpenOf :many
-- The chats that some conversations have made and that go on, locked.
SELECT * FROM group_chats WHERE session_key = ANY(sqlc.arg(keys)::text[]) AND ended = '' ORDER BY id FOR NO KEY UPDATE;

-- name: GroupMembers :many
SELECT sqlc.embed(m), sqlc.embed(a) FROM group_members m JOIN subagents a ON a.session_key = m.session_key WHERE m.group_id = $1 ORDER BY m.n;

-- name: GroupLines :many
SELECT * FROM group_lines WHERE group_id = $1 ORDER BY seq;

-- name: GroupOpenTask :one
-- The member that is asked to speak and has not.
SELECT t.session_key FROM subagent_tasks t WHERE t.group_id = sqlc.arg(id)::text AND t.outcome = '' LIMIT 1;

-- name: GroupTaskInsert :exec
INSERT INTO subagent_tasks (call_id, session_key, asked_in, tree, background, words, group_id)
VALUES (sqlc.arg(call_id), sqlc.arg(session_key), sqlc.arg(asked_in), sqlc.arg(tree), true, sqlc.arg(words), sqlc.arg(id)::text);

-- name: GroupAsk :exec
-- Records the member that speaks next, and that it gets all lines.
WITH asked AS (UPDATE group_chats SET asked = asked + 1 WHERE group_chats.id = sqlc.arg(id) RETURNING lines)
UPDATE group_members SET heard = asked.lines FROM asked WHERE group_members.group_id = sqlc.arg(id) AND group_members.n = sqlc.arg(n);

-- name: GroupLineInsert :execrows
-- A line, once for each key. The caller holds the lock.
WITH said AS (
    INSERT INTO group_lines (group_id, seq, speaker, key, said, outcome)
    SELECT g.id, g.lines + 1, sqlc.arg(speaker), sqlc.arg(key), sqlc.arg(said), sqlc.arg(outcome) FROM group_chats g WHERE g.id = sqlc.arg(id)
    ON CONFLICT (group_id, key) DO NOTHING
    RETURNING group_id
)
UPDATE group_chats SET lines = lines + 1 FROM said WHERE group_chats.id = said.group_id;

-- name: GroupSpeaker :one
SELECT n FROM group_members WHERE group_id = $1 AND session_key = $2;

-- name: GroupEnd :exec
UPDATE group_chats SET ended = $2, ended_at = now() WHERE id = $1 AND ended = '';

-- name: GroupChecked :exec
UPDATE group_chats SET checked_at = now() WHERE id = $1;

-- name: GroupsToStart :many
-- Chats that go on and that nobody has looked at for long: five seconds where a member is to be asked, else a minute.
WITH due AS (
    SELECT g.id FROM group_chats g
    WHERE g.ended = '' AND g.checked_at < now() - interval '5 seconds'
      AND (g.checked_at < now() - interval '60 seconds'
           OR NOT EXISTS (SELECT 1 FROM subagent_tasks t WHERE t.group_id = g.id AND t.outcome = ''))
    ORDER BY g.checked_at
    LIMIT 100
    FOR UPDATE SKIP LOCKED
)
UPDATE group_chats SET checked_at = now() FROM due WHERE group_chats.id = due.id
RETURNING group_chats.id;

-- name: GroupGet :one
SELECT sqlc.embed(g), s.user_id, u.name AS user_name FROM group_chats g JOIN sessions s ON s.key = g.session_key JOIN users u ON u.id = s.user_id WHERE g.id = $1;

-- name: GroupsOf :many
-- The group chats of a conversation and of the subagents below it, newest first. open: only those that go on.
SELECT g.* FROM group_chats g
WHERE g.session_key IN (SELECT sqlc.arg(session_key)::text UNION ALL SELECT a.session_key FROM subagents a WHERE a.root = sqlc.arg(session_key)::text)
  AND (g.ended = '' OR NOT sqlc.arg(open)::boolean)
ORDER BY g.created_at DESC, g.id
LIMIT sqlc.arg(n);

-- name: PeerHops :one
-- How many messages between conversations have led to a turn since a person wrote, also where a run of a job lies in between that a
-- turn has made, and how many it has sent itself.
WITH RECURSIVE led(turn) AS (
    SELECT unnest(sqlc.arg(turns)::text[])
    UNION
    SELECT c.turn_id FROM led
    JOIN inbox i ON i.turn_id = led.turn AND i.kind = 'background' AND i.account = 'cron'
    JOIN cron_jobs j ON j.id = split_part(i.platform_id, '@', 1)
    JOIN tool_calls c ON c.id = j.made_by
)
SELECT (CASE WHEN EXISTS (SELECT 1 FROM inbox i WHERE i.kind = 'message' AND i.turn_id = ANY (sqlc.arg(turns)::text[])) THEN 0
        ELSE coalesce((SELECT max(p.hops) FROM led JOIN inbox i ON i.turn_id = led.turn JOIN peer_messages p ON p.call_id = i.platform_id
                       WHERE i.kind = 'background' AND i.account = 'peer'
                         AND NOT EXISTS (SELECT 1 FROM inbox w WHERE w.kind = 'message' AND w.turn_id = led.turn)), 0) END)::int AS hops,
       (SELECT count(*) FROM peer_messages p WHERE p.turn_id = sqlc.arg(turn))::int AS sent;

-- name: PeerInsert :execrows
INSERT INTO peer_messages (call_id, turn_id, sender, session_key, hops) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (call_id) DO NOTHING;

-- name: PeerSent :one
SELECT EXISTS (SELECT 1 FROM peer_messages WHERE call_id = $1);

-- name: PeersOf :many
-- The other conversations of a person that were used last.
SELECT s.key, s.title FROM sessions s
WHERE s.user_id = sqlc.arg(user_id) AND s.key <> sqlc.arg(key)::text AND s.chat_type <> 'subagent'
ORDER BY s.last_interaction_at DESC LIMIT 10;
