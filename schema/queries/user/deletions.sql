-- name: DeletionAdd :exec
-- Promises that a person is deleted. Done again it changes nothing.
INSERT INTO deletions (user_id, name, conversations, asked_by)
SELECT u.id, u.name, (SELECT count(*) FROM sessions s WHERE s.user_id = u.id AND s.chat_type <> 'subagent'), sqlc.narg(asked_by)::bigint
FROM users u WHERE u.id = sqlc.arg(id)
ON CONFLICT (user_id) DO NOTHING;

-- name: DeletionGet :one
-- The progress of a deletion. No row: it was not requested, or it is done.
SELECT d.name, d.conversations, extract(epoch FROM now() - d.asked_at)::float8 AS age_s,
       (SELECT count(*) FROM sessions s WHERE s.user_id = d.user_id AND s.chat_type <> 'subagent')::int AS left_over
FROM deletions d WHERE d.user_id = $1 AND d.ended_at IS NULL;

-- name: DeletionToStart :many
-- Deletions without progress for a while.
UPDATE deletions SET checked_at = now()
WHERE user_id IN (SELECT d.user_id FROM deletions d WHERE d.ended_at IS NULL AND d.checked_at < now() - sqlc.arg(older)::interval ORDER BY d.checked_at LIMIT 20 FOR UPDATE SKIP LOCKED)
RETURNING user_id;

-- name: DeletionChecked :exec
UPDATE deletions SET checked_at = now() WHERE user_id = $1 AND ended_at IS NULL;

-- name: DeletionRunning :one
-- Turns that run in the person's conversations, or elsewhere on a message of theirs, and answers that are on their way.
SELECT ((SELECT count(*) FROM turns t JOIN sessions s ON s.key = t.session_key
         WHERE t.state = 'running' AND (s.user_id = sqlc.arg(id) OR EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = t.id AND i.user_id = sqlc.arg(id))))
      + (SELECT count(*) FROM inbox i JOIN sessions s ON s.key = i.session_key
         WHERE i.user_id = sqlc.arg(id) AND i.outcome IS NULL AND i.kind <> 'stop')
      + (SELECT count(*) FROM outbound o JOIN sessions s ON s.key = o.session_key WHERE s.user_id = sqlc.arg(id) AND o.state = 'waiting'))::int;

-- name: DeletionSessions :many
-- Conversations of a person that are left; subagents go with theirs. With a service go those in which its agent told administrators what its consumers
-- asked.
SELECT s.key FROM sessions s WHERE s.user_id = sqlc.arg(id) AND s.chat_type <> 'subagent'
UNION ALL
SELECT s.key FROM services v CROSS JOIN users a JOIN sessions s ON s.key = 'agent:' || v.id || ':inbox:thread:' || a.id
WHERE v.user_id = sqlc.arg(id) AND a.kind = 'person'
ORDER BY key LIMIT sqlc.arg(most);

-- name: DeletionJobs :many
SELECT j.id FROM cron_jobs j WHERE j.user_id = $1 AND j.state <> 'deleted' ORDER BY j.id LIMIT sqlc.arg(most);

-- name: DeletionFiles :one
-- Files of the person that are to be removed on runners.
SELECT count(*)::int FROM inbox_files f WHERE f.user_id = $1 AND f.state = 'stored' AND f.path <> '';

-- name: DeletionAccess :exec
-- Whoever they were on a platform is a stranger there again.
WITH were AS (
    SELECT i.channel, i.account, i.peer FROM identities i WHERE i.user_id = sqlc.arg(id) AND i.kind = 'person'
), asked AS (
    DELETE FROM pairings p USING were w WHERE p.channel = w.channel AND p.account = w.account AND p.peer = w.peer
), told AS (
    DELETE FROM told_once o USING were w WHERE o.topic IN ('door', 'files') AND o.channel = w.channel AND o.account = w.account AND o.about = w.peer
)
DELETE FROM access_grants g USING were w WHERE g.channel = w.channel AND g.account = w.account AND g.peer = w.peer;

-- name: DeletionHost :exec
-- The runner of the server's own host belongs to the installation: another administrator has it from now on.
UPDATE runners SET user_id = heir.id
FROM (SELECT u.id FROM users u WHERE u.role = 'admin' AND u.kind = 'person' AND u.disabled_at IS NULL AND u.id <> sqlc.arg(id) ORDER BY u.id LIMIT 1) heir
WHERE runners.user_id = sqlc.arg(id) AND runners.name = 'local' AND runners.revoked_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM runners o WHERE o.user_id = heir.id AND o.name = 'local');

-- name: DeletionUser :execrows
-- Everything else that is theirs goes with the user.
DELETE FROM users WHERE id = $1;

-- name: DeletionEnd :exec
UPDATE deletions SET ended_at = now(), name = '' WHERE user_id = $1 AND ended_at IS NULL;

-- name: DeletionsEnded :many
-- Which of these users were deleted.
SELECT d.user_id FROM deletions d WHERE d.user_id = ANY(sqlc.arg(ids)::bigint[]) AND d.ended_at IS NOT NULL;
