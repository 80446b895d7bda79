-- name: WorkSubagents :many
-- The newest task in the background of each subagent that a conversation has asked, without those of chats; newest first.
SELECT w.session_key, w.role, w.instance, w.made, w.words, w.outcome, w.turn_id, w.created_at, w.ended_at FROM (
    SELECT DISTINCT ON (a.session_key) a.session_key, a.role, a.instance, a.call_id AS made, t.words, t.outcome,
           coalesce(t.turn_id, '')::text AS turn_id, t.created_at, t.ended_at
    FROM subagents a JOIN subagent_tasks t ON t.session_key = a.session_key
    WHERE a.parent = sqlc.arg(parent) AND t.background AND t.group_id IS NULL
    ORDER BY a.session_key, t.created_at DESC
) w
ORDER BY w.created_at DESC
LIMIT sqlc.arg(n);

-- name: WorkJobs :many
-- The jobs that were made in a conversation and run in another one.
SELECT j.id, j.name, j.message FROM cron_jobs j JOIN sessions s ON s.key = sqlc.arg(home)::text AND s.user_id = j.user_id
WHERE j.home = sqlc.arg(home)::text AND j.target <> sqlc.arg(home)::text AND j.heartbeat = '' AND j.state <> 'deleted'
ORDER BY j.created_at DESC
LIMIT sqlc.arg(n);

-- name: WorkTold :one
-- The messages that report the end of background work to a conversation.
SELECT i.body FROM sessions s
JOIN inbox i ON i.channel = s.channel AND i.account = 'subagent' AND i.user_id = s.user_id AND i.platform_id = sqlc.arg(told)::text
WHERE s.key = sqlc.arg(key);
