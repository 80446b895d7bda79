-- name: SubagentLock :exec
-- Keeps others from handing out work in the same conversation until the transaction ends.
SELECT pg_advisory_xact_lock(714027, hashtext(sqlc.arg(root)::text));

-- name: SubagentGet :one
SELECT * FROM subagents WHERE session_key = $1;

-- name: SubagentAnswered :one
-- Whether a subagent that answers once has answered.
SELECT EXISTS (
    SELECT 1 FROM subagents a WHERE a.session_key = $1 AND a.instance = ''
      AND NOT EXISTS (SELECT 1 FROM subagent_tasks t WHERE t.session_key = a.session_key AND t.outcome = '')
      AND NOT EXISTS (SELECT 1 FROM turns u WHERE u.session_key = a.session_key AND u.state = 'running'));

-- name: SubagentByCall :one
-- The subagent that a call has asked something of, if it did before.
SELECT sqlc.embed(a), t.background FROM subagent_tasks t JOIN subagents a ON a.session_key = t.session_key WHERE t.call_id = $1;

-- name: SubagentByName :one
SELECT * FROM subagents WHERE parent = $1 AND lower(role) = lower(sqlc.arg(role)) AND lower(instance) = lower(sqlc.arg(instance)) AND instance <> '';

-- name: SubagentSession :execrows
-- Creates the session of a subagent with the owner, folder and runner of its parent.
INSERT INTO sessions (key, user_id, channel, title, cwd, cwd_runner, runner, context_mode, agent, chat_type, model, think, root)
SELECT sqlc.arg(key), s.user_id, sqlc.arg(channel), sqlc.arg(title), s.cwd, s.cwd_runner, s.runner, s.context_mode, s.agent, 'subagent',
       sqlc.arg(model), sqlc.arg(think), coalesce(nullif(s.root, ''), s.key)
FROM sessions s WHERE s.key = sqlc.arg(parent)
ON CONFLICT (key) DO NOTHING;

-- name: SubagentInsert :one
INSERT INTO subagents (session_key, parent, root, role, instance, depth, call_id, profile)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING *;

-- name: SubagentTaskInsert :exec
INSERT INTO subagent_tasks (call_id, session_key, asked_in, tree, background, words, walled)
VALUES ($1, $2, $3, $4, $5, $6, coalesce((SELECT t.plan = 'wanted' FROM turns t WHERE t.id = $3), false));

-- name: SubagentLoad :exec
UPDATE subagents SET unloaded_at = NULL WHERE session_key = $1;

-- name: SubagentTree :one
-- The turn of a person that a turn follows from: that of the task which it carries out, that of the task whose answer, or of
-- the group chat whose end, it was begun by, or itself.
SELECT coalesce(
    (SELECT t.tree FROM subagent_tasks t WHERE t.turn_id = sqlc.arg(turn_id)::text LIMIT 1),
    (SELECT t.tree FROM inbox i JOIN subagent_tasks t ON t.turn_id = i.platform_id
     WHERE i.turn_id = sqlc.arg(turn_id)::text AND i.kind = 'background' AND i.account = 'subagent' LIMIT 1),
    (SELECT g.tree FROM inbox i JOIN group_chats g ON g.id = substr(i.platform_id, length('group/') + 1)
     WHERE i.turn_id = sqlc.arg(turn_id)::text AND i.kind = 'background' AND i.account = 'subagent' AND starts_with(i.platform_id, 'group/') LIMIT 1),
    sqlc.arg(turn_id)::text)::text AS tree;

-- name: SubagentStopping :one
-- Whether a turn is to stop: itself, or one that waits for it, directly or through others. Those are stopped with it, a moment later.
WITH RECURSIVE waiting AS (
    SELECT sqlc.arg(turn_id)::text AS turn_id
    UNION
    SELECT t.asked_in FROM subagent_tasks t JOIN waiting w ON t.turn_id = w.turn_id WHERE NOT t.background
)
SELECT EXISTS (
    SELECT 1 FROM waiting w JOIN turns u ON u.id = w.turn_id
    WHERE u.state = 'stopped'
       OR EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = u.session_key AND i.kind = 'stop' AND i.outcome IS NULL AND i.target_turn = u.id)
);

-- name: SubagentLoadOf :one
-- What limits are about: tasks that a turn has handed out and group chats that it has made, subagents of a conversation that work
-- or are about to, of an open group chat one, and tokens that a tree has taken.
SELECT ((SELECT count(*) FROM subagent_tasks t WHERE t.asked_in = sqlc.arg(turn_id))
        + (SELECT count(*) FROM tool_calls c JOIN group_chats g ON g.call_id = c.id WHERE c.turn_id = sqlc.arg(turn_id)))::int AS handed,
       ((SELECT count(DISTINCT t.session_key) FROM subagent_tasks t JOIN subagents a ON a.session_key = t.session_key
         WHERE a.root = sqlc.arg(root) AND t.outcome = ''
           AND NOT EXISTS (SELECT 1 FROM group_chats g WHERE g.id = t.group_id AND g.ended = ''))
        + (SELECT count(*) FROM group_chats g WHERE g.ended = '' AND (
               g.session_key = sqlc.arg(root) OR EXISTS (SELECT 1 FROM subagents a WHERE a.session_key = g.session_key AND a.root = sqlc.arg(root)))))::int AS busy,
       (SELECT coalesce(sum(u.prompt_tokens::bigint + u.completion_tokens), 0) FROM subagent_tasks t JOIN turns u ON u.id = t.turn_id
        WHERE t.tree = sqlc.arg(tree))::bigint AS tokens;

-- name: SubagentClaim :exec
-- Notes which turn carries out a task.
UPDATE subagent_tasks SET turn_id = $2 WHERE call_id = $1;

-- name: SubagentOpenOf :many
-- The tasks of a turn that are to be reported at its end.
SELECT sqlc.embed(t), sqlc.embed(a) FROM subagent_tasks t JOIN subagents a ON a.session_key = t.session_key
WHERE t.turn_id = $1 AND t.outcome = ''
ORDER BY t.created_at, t.call_id
FOR NO KEY UPDATE OF t;

-- name: SubagentOpenIn :many
-- The tasks of a subagent without an answer.
SELECT sqlc.embed(t), sqlc.embed(a) FROM subagent_tasks t JOIN subagents a ON a.session_key = t.session_key
WHERE t.session_key = $1 AND t.outcome = ''
ORDER BY t.created_at, t.call_id
FOR NO KEY UPDATE OF t;

-- name: SubagentSaid :one
-- The last text of a turn.
SELECT coalesce((SELECT m.content FROM messages m WHERE m.turn_id = sqlc.arg(turn_id) AND m.role = 'assistant' AND NOT m.display_only AND m.content <> ''
                 ORDER BY m.id DESC LIMIT 1), '')::text AS answer,
       coalesce((SELECT m.content FROM messages m WHERE m.turn_id = sqlc.arg(turn_id) AND m.role = 'notice' ORDER BY m.id DESC LIMIT 1), '')::text AS notice;

-- name: SubagentReport :one
-- Ends a task, once. awake: the parent waits for it and has to be woken.
UPDATE subagent_tasks SET outcome = $2, ended_at = now(), woken_at = CASE WHEN sqlc.arg(awake)::boolean THEN now() END
WHERE call_id = $1 AND outcome = ''
RETURNING *;

-- name: SubagentTakeBack :exec
-- What a turn waits for that ends, and that nobody has begun, is not carried out. Rows of inbox are locked before those of
-- tasks, as by a claim.
UPDATE inbox SET outcome = 'stopped'
FROM subagent_tasks t
WHERE t.asked_in = $1 AND t.outcome = '' AND NOT t.background
  AND inbox.session_key = t.session_key AND inbox.kind = 'background' AND inbox.account = 'subagent' AND inbox.platform_id = t.call_id
  AND inbox.outcome IS NULL;

-- name: SubagentAbandoned :many
-- Tasks that an ending turn waits for and that are not needed any more.
SELECT t.call_id, t.session_key, coalesce((SELECT u.id FROM turns u WHERE u.id = t.turn_id AND u.state = 'running'), '')::text AS running
FROM subagent_tasks t
WHERE t.asked_in = $1 AND t.outcome = '' AND NOT t.background
ORDER BY t.call_id;

-- name: SubagentTakeBackBelow :exec
-- What is handed out in the background to subagents, and that none of them has begun, is not carried out.
UPDATE inbox SET outcome = 'stopped'
FROM subagent_tasks t
WHERE t.session_key = ANY(sqlc.arg(keys)::text[]) AND t.outcome = '' AND t.background
  AND inbox.session_key = t.session_key AND inbox.kind = 'background' AND inbox.account = 'subagent' AND inbox.platform_id = t.call_id
  AND inbox.outcome IS NULL;

-- name: SubagentBusy :many
-- Who of some subagents works or is about to, also in a group chat. awaited: for somebody who waits for it.
SELECT a.session_key, coalesce(u.id, '')::text AS running,
       EXISTS (SELECT 1 FROM subagent_tasks t WHERE t.turn_id = u.id AND t.outcome = '' AND NOT t.background)::boolean AS awaited
FROM subagents a LEFT JOIN turns u ON u.session_key = a.session_key AND u.state = 'running'
WHERE a.session_key = ANY(sqlc.arg(keys)::text[])
  AND (u.id IS NOT NULL OR EXISTS (SELECT 1 FROM subagent_tasks t WHERE t.session_key = a.session_key AND t.outcome = ''))
ORDER BY a.session_key;

-- name: SubagentOpenBackground :many
-- The tasks of some subagents for which nobody waits. Whoever speaks in a group chat ends that task with its turn.
SELECT sqlc.embed(t), sqlc.embed(a) FROM subagent_tasks t JOIN subagents a ON a.session_key = t.session_key
WHERE t.session_key = ANY(sqlc.arg(keys)::text[]) AND t.outcome = '' AND t.background AND (t.group_id IS NULL OR t.turn_id IS NULL)
ORDER BY t.created_at, t.call_id
FOR NO KEY UPDATE OF t;

-- name: SubagentStop :exec
-- Asks the turn that carries out a task to stop. Asked again under the same key, it changes nothing; one key may be for several
-- subagents.
INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body, target_turn)
SELECT s.key, s.user_id, 'stop', s.channel, 'subagent', sqlc.arg(key)::text || ' ' || s.key, '', sqlc.arg(turn_id)
FROM sessions s WHERE s.key = sqlc.arg(session_key)
ON CONFLICT ON CONSTRAINT inbox_platform_id DO NOTHING;

-- name: SubagentReported :many
-- The calls of a turn whose subagents have answered. From now on it has seen them.
WITH seen AS (
    UPDATE subagent_tasks SET woken_at = NULL WHERE asked_in = sqlc.arg(turn_id) AND woken_at IS NOT NULL
)
SELECT c.id FROM tool_calls c WHERE c.turn_id = sqlc.arg(turn_id) AND c.class = 'agent' AND c.state = 'done' ORDER BY c.step, c.n;

-- name: SubagentToWake :many
-- Sessions whose turn has not seen an answer, each at most once a back-off: 2 s, doubling to 60 s.
WITH due AS (
    SELECT t.call_id FROM subagent_tasks t
    WHERE t.woken_at < now() - least(interval '60 seconds', greatest(interval '2 seconds', t.woken_at - t.ended_at))
      AND EXISTS (SELECT 1 FROM turns u WHERE u.id = t.asked_in AND u.state = 'running')
    ORDER BY t.woken_at
    LIMIT 100
    FOR UPDATE SKIP LOCKED
)
UPDATE subagent_tasks SET woken_at = now()
FROM due, subagents a, sessions p
WHERE subagent_tasks.call_id = due.call_id AND a.session_key = subagent_tasks.session_key AND p.key = a.parent
RETURNING p.key, p.user_id, p.channel;

-- name: SubagentHold :exec
-- Whoever is giving it a task is waited for.
SELECT session_key FROM subagents WHERE session_key = $1 FOR NO KEY UPDATE;

-- name: SubagentUnload :one
-- Lets go of a subagent that has nothing to do. No row: it has.
UPDATE subagents SET unloaded_at = coalesce(subagents.unloaded_at, now())
WHERE subagents.session_key = sqlc.arg(key)
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = subagents.session_key AND i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL)
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_key = subagents.session_key AND t.state = 'running')
RETURNING *;

-- name: SubagentList :many
-- The subagents below a conversation with what they do, the oldest first. parent: only those that it asked itself.
SELECT sqlc.embed(a), u.user_id, coalesce(r.id, '')::text AS running, coalesce(last.words, '')::text AS words, coalesce(last.outcome, '')::text AS outcome,
       coalesce(last.background, false)::boolean AS background, last.ended_at,
       EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = a.session_key AND i.kind IN ('message', 'background') AND i.outcome IS NULL)::boolean AS queued,
       EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_key = a.session_key AND c.approval = 'open')::boolean AS waiting,
       coalesce((SELECT c.name || CASE WHEN c.summary = '' THEN '' ELSE ' · ' || left(c.summary, 80) END FROM tool_calls c
                 WHERE c.turn_id = r.id AND c.state <> 'done' ORDER BY c.step DESC, c.n LIMIT 1), '')::text AS tool,
       coalesce((SELECT sum(t.prompt_tokens::bigint + t.completion_tokens) FROM turns t WHERE t.session_key = a.session_key), 0)::bigint AS tokens,
       coalesce((SELECT sum(t.steps) FROM turns t WHERE t.session_key = a.session_key), 0)::int AS steps,
       coalesce((SELECT t.model FROM turns t WHERE t.session_key = a.session_key AND t.model <> '' ORDER BY t.started_at DESC LIMIT 1), '')::text AS model
FROM subagents a
JOIN sessions u ON u.key = a.session_key
LEFT JOIN turns r ON r.session_key = a.session_key AND r.state = 'running'
LEFT JOIN LATERAL (
    SELECT t.words, t.outcome, t.background, t.ended_at FROM subagent_tasks t WHERE t.session_key = a.session_key ORDER BY t.created_at DESC LIMIT 1
) last ON true
WHERE a.root = sqlc.arg(root) AND (sqlc.arg(parent)::text = '' OR a.parent = sqlc.arg(parent)::text)
ORDER BY a.created_at DESC
LIMIT sqlc.arg(n);

-- name: SubagentLockInbox :exec
-- What waits in sessions that are about to be deleted, which a claim locks before tasks.
SELECT id FROM inbox WHERE session_key = ANY(sqlc.arg(keys)::text[]) AND outcome IS NULL
ORDER BY session_key, sent_at, sent_seq, id
FOR UPDATE;

-- name: SubagentLockGroups :many
-- The group chats that sessions have made or are in, which a step of them locks before subagents.
SELECT g.id FROM group_chats g
WHERE g.session_key = ANY(sqlc.arg(keys)::text[])
   OR g.id IN (SELECT m.group_id FROM group_members m WHERE m.session_key = ANY(sqlc.arg(keys)::text[]))
ORDER BY g.id
FOR UPDATE;

-- name: SubagentsBelow :many
-- All subagents that go with a session, the deepest first.
WITH RECURSIVE below AS (
    SELECT a.session_key, a.depth FROM subagents a WHERE a.parent = sqlc.arg(session_key)
    UNION
    SELECT a.session_key, a.depth FROM subagents a JOIN below b ON a.parent = b.session_key
)
SELECT b.session_key FROM below b ORDER BY b.depth DESC, b.session_key;
