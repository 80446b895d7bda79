-- name: CronMove :exec
-- The jobs that were made in conversations go where those go, with their own conversations and the subagents of those.
WITH moved AS (
    UPDATE cron_jobs SET user_id = sqlc.arg(new_user_id)::bigint WHERE cron_jobs.home = ANY(sqlc.arg(homes)::text[]) RETURNING cron_jobs.id
)
UPDATE sessions SET user_id = sqlc.arg(new_user_id)::bigint
WHERE sessions.key IN (SELECT 'cron:' || moved.id FROM moved)
   OR sessions.key IN (SELECT a.session_key FROM subagents a WHERE a.root IN (SELECT 'cron:' || moved.id FROM moved));
