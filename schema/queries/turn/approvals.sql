-- name: ApprovalMay :one
-- Whether a user may say something to a call; and whether they might if no hook had deferred it, so that they may know of it.
SELECT may_decide(s.user_id, sqlc.arg(user_id), c.turn_id, c.questions IS NOT NULL, c.hook) AS may,
       may_reply(s.user_id, sqlc.arg(user_id), c.turn_id, c.questions IS NOT NULL) AS concerned
FROM tool_calls c JOIN sessions s ON s.key = c.session_key WHERE c.id = sqlc.arg(id);

-- name: ApprovalOpen :one
-- Asks the person, once. The reason is that of the hook that wants it, or the model's own, or else the last paragraph that it wrote before its calls. No row:
-- the call needs no permission, was asked about before, or has its result.
UPDATE tool_calls c SET
    approval = 'open', asked_at = now(), preview = sqlc.arg(preview),
    reason   = left(coalesce(nullif(c.reason, ''), nullif(sqlc.arg(reason)::text, ''), regexp_replace(btrim(m.content), '^.*\n\s*\n', '')), sqlc.arg(max_reason)::int)
FROM messages m, turns t
WHERE c.id = sqlc.arg(id) AND c.rule = 'ask' AND c.approval = '' AND c.state = 'open'
  AND m.id = c.message_id AND t.id = c.turn_id AND t.state = 'running'
RETURNING c.*;

-- name: ApprovalAnswer :one
-- The one place where a question is answered by a person: it is open, the person is the right one, the turn runs. Arguments that they have
-- changed become those of the call, which runs with nothing else, and the digest is of what was judged of them.
UPDATE tool_calls c SET
    approval = sqlc.arg(approval), note = sqlc.arg(note), answered_by = sqlc.arg(answered_by), answer_key = sqlc.arg(answer_key),
    answers = sqlc.narg(answers), answered_at = now(), answer_woken_at = now(),
    arguments         = coalesce(sqlc.narg(arguments), c.arguments),
    summary           = coalesce(sqlc.narg(summary), c.summary),
    judged            = c.judged AND sqlc.narg(arguments)::text IS NULL,
    judged_digest     = coalesce(nullif(sqlc.arg(digest)::text, ''), c.judged_digest),
    asked_arguments   = CASE WHEN sqlc.narg(arguments)::text IS NULL THEN c.asked_arguments ELSE c.arguments END,
    written_arguments = CASE WHEN sqlc.narg(arguments)::text IS NULL THEN c.written_arguments ELSE coalesce(c.written_arguments, c.arguments) END,
    hook_note         = CASE WHEN sqlc.narg(arguments)::text IS NULL THEN c.hook_note ELSE concat_ws(E'\n\n', nullif(c.hook_note, ''), nullif(sqlc.arg(told)::text, '')) END,
    plan              = coalesce(sqlc.narg(plan), c.plan)
FROM turns t, sessions s
WHERE c.id = sqlc.arg(id) AND c.session_key = sqlc.arg(session_key) AND c.approval = 'open' AND c.state = 'open'
  AND t.id = c.turn_id AND t.state = 'running' AND s.key = c.session_key
  AND may_decide(s.user_id, sqlc.arg(user_id), c.turn_id, c.questions IS NOT NULL, c.hook)
RETURNING c.*;

-- name: ApprovalExpire :one
-- Denies a call without a person: nobody answered in time, which the turn notes itself, or the coding agent that asked has ended, of which the
-- turn is woken.
UPDATE tool_calls SET approval = 'denied', note = sqlc.arg(note), answered_by = sqlc.arg(answered_by), answered_at = now(),
    answer_woken_at = CASE WHEN sqlc.arg(wakes)::boolean THEN now() ELSE answer_woken_at END
WHERE id = sqlc.arg(id) AND approval = 'open'
RETURNING *;

-- name: ApprovalOfTurn :one
-- Allows a call whose question has just been opened, where a person allows everything in its turn. What a hook wants a person or an
-- administrator to be asked about stays open, and so do questions of the model and plans. The turn does this itself, so there is nobody to wake.
UPDATE tool_calls c SET approval = 'allowed', answered_by = t.allows_by, answered_at = now()
FROM turns t
WHERE c.id = sqlc.arg(id) AND c.approval = 'open' AND c.state = 'open' AND c.questions IS NULL AND c.plan IS NULL AND c.hook <> 'deferred'
  AND NOT EXISTS (SELECT 1 FROM hook_outcomes h WHERE h.turn_id = c.turn_id AND h.id = c.id || '/PreToolUse' AND h.decision = 'ask')
  AND t.id = c.turn_id AND t.state = 'running' AND t.allows_by <> ''
RETURNING c.*;

-- name: ApprovalsOfTurn :many
-- The same for the questions of a turn that are open when a person allows everything.
UPDATE tool_calls c SET approval = 'allowed', answered_by = sqlc.arg(answered_by), answered_at = now(), answer_woken_at = now()
WHERE c.turn_id = sqlc.arg(turn_id)::text AND c.approval = 'open' AND c.state = 'open' AND c.questions IS NULL AND c.plan IS NULL AND c.hook <> 'deferred'
  AND NOT EXISTS (SELECT 1 FROM hook_outcomes h WHERE h.turn_id = c.turn_id AND h.id = c.id || '/PreToolUse' AND h.decision = 'ask')
RETURNING c.*;

-- name: ApprovalLockTurn :one
-- Locks the turn of a call: opening a question and allowing all calls of the turn wait for each other.
SELECT t.* FROM turns t JOIN tool_calls c ON c.turn_id = t.id WHERE c.id = sqlc.arg(id) FOR NO KEY UPDATE OF t;

-- name: ApprovalsOpen :many
-- The open questions of a session and its subagents that a person may answer, the oldest first, without those that need answers or an
-- administrator, and plans. Locked, so that each is answered once.
SELECT c.* FROM tool_calls c JOIN sessions s ON s.key = c.session_key
WHERE (c.session_key = sqlc.arg(session_key) OR c.session_key IN (SELECT a.session_key FROM subagents a WHERE a.root = sqlc.arg(session_key)))
  AND c.approval = 'open' AND c.questions IS NULL AND c.plan IS NULL AND c.hook <> 'deferred'
  AND may_decide(s.user_id, sqlc.arg(user_id), c.turn_id, false, c.hook)
ORDER BY c.asked_at, c.step, c.n
LIMIT 100
FOR NO KEY UPDATE OF c;

-- name: ApprovalsByKey :many
-- What a message answered that was for all of them.
SELECT c.* FROM tool_calls c JOIN sessions s ON s.key = c.session_key
WHERE (c.session_key = sqlc.arg(session_key) OR c.session_key IN (SELECT a.session_key FROM subagents a WHERE a.root = sqlc.arg(session_key)))
  AND c.answer_key = sqlc.arg(answer_key) AND c.answer_key <> ''
  AND may_decide(s.user_id, sqlc.arg(user_id), c.turn_id, false, c.hook)
ORDER BY c.asked_at, c.step, c.n;

-- name: ApprovalOldest :one
-- The open question of a session and its subagents that has waited longest, for a person who may say something to it. permissions leaves out
-- those that need answers.
SELECT c.* FROM tool_calls c JOIN sessions s ON s.key = c.session_key
WHERE (c.session_key = sqlc.arg(session_key) OR c.session_key IN (SELECT a.session_key FROM subagents a WHERE a.root = sqlc.arg(session_key)))
  AND c.approval = 'open' AND NOT (sqlc.arg(permissions)::boolean AND c.questions IS NOT NULL)
  AND may_decide(s.user_id, sqlc.arg(user_id), c.turn_id, c.questions IS NOT NULL, c.hook)
ORDER BY c.asked_at, c.step, c.n
LIMIT 1;

-- name: ApprovalDeferred :one
-- Whether a call waits in a session or its subagents that a user could answer for if no hook had deferred it.
SELECT EXISTS (
    SELECT 1 FROM tool_calls c JOIN sessions s ON s.key = c.session_key
    WHERE (c.session_key = sqlc.arg(session_key) OR c.session_key IN (SELECT a.session_key FROM subagents a WHERE a.root = sqlc.arg(session_key)))
      AND c.approval = 'open' AND c.hook = 'deferred' AND may_reply(s.user_id, sqlc.arg(user_id), c.turn_id, c.questions IS NOT NULL)
) AS deferred;

-- name: ApprovalByKey :one
-- What a message answered that names no call.
SELECT c.* FROM tool_calls c JOIN sessions s ON s.key = c.session_key
WHERE (c.session_key = sqlc.arg(session_key) OR c.session_key IN (SELECT a.session_key FROM subagents a WHERE a.root = sqlc.arg(session_key)))
  AND c.answer_key = sqlc.arg(answer_key) AND c.answer_key <> ''
  AND may_decide(s.user_id, sqlc.arg(user_id), c.turn_id, c.questions IS NOT NULL, c.hook)
LIMIT 1;

-- name: ApprovalAnswered :many
-- Answers of a turn that it has not acted on yet.
SELECT id FROM tool_calls WHERE turn_id = $1 AND answer_woken_at IS NOT NULL ORDER BY step, n;

-- name: ApprovalToWake :many
-- Sessions whose turn has not acted on an answer, each at most once a back-off: 2 s, doubling to 60 s, since each pause
-- is as long as all before it.
WITH due AS (
    SELECT c.id FROM tool_calls c
    WHERE c.answer_woken_at < now() - least(interval '60 seconds', greatest(interval '2 seconds', c.answer_woken_at - c.answered_at))
      AND EXISTS (SELECT 1 FROM turns t WHERE t.id = c.turn_id AND t.state = 'running')
    ORDER BY c.answer_woken_at
    LIMIT 100
    FOR UPDATE SKIP LOCKED
)
UPDATE tool_calls SET answer_woken_at = now()
FROM due, sessions
WHERE tool_calls.id = due.id AND sessions.key = tool_calls.session_key
RETURNING sessions.key, sessions.user_id, sessions.channel;
