-- name: CronInsert :one
-- No row: the same request has made it before.
INSERT INTO cron_jobs (id, user_id, made_by, home, agent, name, message, kind, expr, every_s, at, zone, target, deliver, model, think,
                       missed, max_age_s, jitter_s, max_runs, heartbeat, next_at, due_at, service_id, conversation, permits)
VALUES (sqlc.arg(id), sqlc.arg(user_id), sqlc.arg(made_by), sqlc.arg(home), sqlc.arg(agent), sqlc.arg(name), sqlc.arg(message), sqlc.arg(kind), sqlc.arg(expr),
        sqlc.arg(every_s), sqlc.narg(at), sqlc.arg(zone), sqlc.arg(target), sqlc.arg(deliver), sqlc.arg(model), sqlc.arg(think), sqlc.arg(missed),
        sqlc.arg(max_age_s), sqlc.arg(jitter_s), sqlc.arg(max_runs), sqlc.arg(heartbeat), sqlc.narg(next_at), sqlc.narg(due_at),
        sqlc.narg(service_id), sqlc.narg(conversation), sqlc.arg(permits))
ON CONFLICT DO NOTHING
RETURNING *;

-- name: CronMadeBy :one
SELECT * FROM cron_jobs WHERE user_id = $1 AND made_by = $2;

-- name: CronCount :one
-- Jobs of a user that may run again.
SELECT count(*)::int FROM cron_jobs WHERE user_id = $1 AND state IN ('active', 'paused') AND heartbeat = '';

-- name: CronGet :one
SELECT sqlc.embed(j), u.name AS owner_name, cron_held(j)::boolean AS held
FROM cron_jobs j JOIN users u ON u.id = j.user_id
WHERE j.id = $1 AND j.state <> 'deleted';

-- name: CronClock :one
SELECT now()::timestamptz;

-- name: CronLock :one
-- A job for a change, with the time of the database: all processes have the same. crashed is how many of its runs crashed the server in the last day:
-- the id of a turn is that of its run.
SELECT sqlc.embed(cron_jobs), now()::timestamptz AS clock, cron_held(cron_jobs)::boolean AS held, (
    SELECT count(DISTINCT r.id) FROM crashed_attempts c JOIN inbox i ON i.turn_id = c.run_id JOIN cron_runs r ON r.inbox_id = i.id
    WHERE c.given_up_at > now() - interval '1 day' AND r.job_id = cron_jobs.id
)::int AS crashed
FROM cron_jobs WHERE cron_jobs.id = $1 AND cron_jobs.state <> 'deleted' FOR UPDATE;

-- name: CronList :many
-- The jobs of a user, or of all (owner 0), of the house or of services (track, empty: both), or of one service. Those of a conversation count as
-- its service's.
SELECT sqlc.embed(j), u.name AS owner_name, cron_held(j)::boolean AS held
FROM cron_jobs j JOIN users u ON u.id = j.user_id
WHERE j.state <> 'deleted' AND (sqlc.arg(owner)::bigint = 0 OR j.user_id = sqlc.arg(owner)::bigint)
  AND (sqlc.arg(track)::text = '' OR (j.service_id IS NULL) = (sqlc.arg(track)::text = 'house'))
  AND (sqlc.arg(service)::text = '' OR j.service_id = sqlc.arg(service)::text)
ORDER BY j.state = 'done', j.next_at NULLS LAST, j.created_at DESC
LIMIT 500;

-- name: CronChange :one
UPDATE cron_jobs SET
    name = sqlc.arg(name), message = sqlc.arg(message), kind = sqlc.arg(kind), expr = sqlc.arg(expr), every_s = sqlc.arg(every_s), at = sqlc.narg(at),
    zone = sqlc.arg(zone), target = sqlc.arg(target), conversation = sqlc.narg(conversation), permits = sqlc.arg(permits), deliver = sqlc.arg(deliver), model = sqlc.arg(model), think = sqlc.arg(think), missed = sqlc.arg(missed),
    max_age_s = sqlc.arg(max_age_s), jitter_s = sqlc.arg(jitter_s), max_runs = sqlc.arg(max_runs), state = sqlc.arg(state), trouble = '',
    next_at = sqlc.narg(next_at), due_at = sqlc.narg(due_at), revision = revision + 1, checked_at = now(), checks = 0
WHERE id = sqlc.arg(id)
RETURNING *;

-- name: CronDelete :execrows
UPDATE cron_jobs SET state = 'deleted', next_at = NULL, due_at = NULL, revision = revision + 1 WHERE id = $1 AND state <> 'deleted';

-- name: CronRunsForget :exec
-- The runs of those jobs that were deleted: nobody sees them any more. One that has a place keeps it until its turn is over.
WITH gone AS (
    SELECT j.id FROM cron_jobs j WHERE j.id = ANY(sqlc.arg(jobs)::text[]) AND j.state = 'deleted'
), firings AS (
    DELETE FROM cron_firings f USING gone
    WHERE f.job_id = gone.id AND NOT EXISTS (SELECT 1 FROM cron_runs r WHERE r.firing_id = f.id AND r.lane = 'posted')
)
DELETE FROM cron_runs USING gone WHERE cron_runs.job_id = gone.id AND cron_runs.lane <> 'posted';

-- name: CronForgetDone :many
-- Deletes the jobs of a user that are done, but those that ended last, and those of services whose runs are not all over.
UPDATE cron_jobs SET state = 'deleted', revision = revision + 1
WHERE id IN (
    SELECT j.id FROM cron_jobs j WHERE j.user_id = sqlc.arg(user_id) AND j.state = 'done'
      AND NOT EXISTS (SELECT 1 FROM cron_firings f WHERE f.job_id = j.id AND NOT f.filled)
      AND NOT EXISTS (SELECT 1 FROM cron_runs r WHERE r.job_id = j.id AND r.lane IN ('queued', 'posted'))
    ORDER BY j.checked_at DESC, j.id OFFSET sqlc.arg(keep)::int LIMIT 100 FOR UPDATE SKIP LOCKED
)
RETURNING id;

-- name: CronAdvance :exec
-- After a fire.
UPDATE cron_jobs SET state = sqlc.arg(state), trouble = sqlc.arg(trouble), runs = runs + sqlc.arg(ran)::int, passed = passed + sqlc.arg(passed)::bigint,
    next_at = sqlc.narg(next_at), due_at = sqlc.narg(due_at), checked_at = now(), checks = 0
WHERE id = sqlc.arg(id);

-- name: CronRunAdd :one
-- No row: the time, or the request, has run before.
INSERT INTO cron_runs (job_id, key, scheduled_at, reason, session_key, skipped) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: CronRunTold :exec
UPDATE cron_runs SET inbox_id = sqlc.arg(inbox_id)::bigint WHERE id = sqlc.arg(id);

-- name: CronRunsPrune :exec
-- Keeps the newest runs of a job, and those that are not over.
DELETE FROM cron_runs old WHERE old.job_id = sqlc.arg(job)::text AND old.lane IN ('', 'over') AND old.id <= (
    SELECT r.id FROM cron_runs r WHERE r.job_id = sqlc.arg(job)::text ORDER BY r.id DESC OFFSET sqlc.arg(keep)::int LIMIT 1);

-- name: CronRunWaits :one
-- Whether a run of the job waits that no turn has begun.
SELECT EXISTS (
    SELECT 1 FROM cron_runs r JOIN inbox i ON i.id = r.inbox_id WHERE r.job_id = $1 AND i.outcome IS NULL
);

-- name: CronRuns :many
-- The newest runs of each of some jobs, and one more by its id, with what became of them, newest first.
SELECT r.id, r.job_id, r.scheduled_at, r.reason, r.session_key, r.skipped, r.created_at, r.lane, r.posted_at, r.ended_at AS over_at, r.timed_out, t.started_at, (i.id IS NULL)::boolean AS gone, coalesce(i.outcome, '')::text AS outcome, i.turn_id,
       coalesce(t.state, '')::text AS turn_state, t.ended_at, coalesce(m.shown, m.content, '')::text AS said, coalesce(m.silent, false)::boolean AS silent
FROM cron_runs r
LEFT JOIN inbox i ON i.id = r.inbox_id
LEFT JOIN turns t ON t.id = i.turn_id
LEFT JOIN LATERAL (SELECT a.shown, a.content, a.silent FROM messages a WHERE a.turn_id = i.turn_id AND a.role = 'assistant' ORDER BY a.id DESC LIMIT 1) m ON true
WHERE r.id IN (
    SELECT sqlc.arg(one)::bigint UNION ALL
    SELECT n.id FROM unnest(sqlc.arg(jobs)::text[]) AS j(id), LATERAL (
        SELECT c.id FROM cron_runs c WHERE c.job_id = j.id ORDER BY c.id DESC LIMIT sqlc.arg(most)::int) n)
ORDER BY r.id DESC;

-- name: CronSession :exec
-- The conversation of a job, made when it is told something, with the model and the channel that its answers are for.
INSERT INTO sessions (key, user_id, channel, title, cwd, cwd_runner, agent, chat_type, scene, origin, model)
VALUES (sqlc.arg(key), sqlc.arg(user_id), sqlc.arg(channel), sqlc.arg(title), '', '', sqlc.arg(agent), 'cron', '', sqlc.arg(origin), sqlc.arg(model))
ON CONFLICT (key) DO UPDATE SET channel = EXCLUDED.channel, origin = EXCLUDED.origin, agent = EXCLUDED.agent, user_id = EXCLUDED.user_id,
    model = coalesce(nullif(EXCLUDED.model, ''), sessions.model);

-- name: CronOverdue :many
-- Jobs whose time has come and that nobody has acted on: each after five seconds, and then after twice as long each time, ten minutes
-- at most, since every look is a signal in the history of a workflow that may be stuck.
UPDATE cron_jobs SET checked_at = now(), checks = checks + 1
WHERE id IN (
    SELECT j.id FROM cron_jobs j
    WHERE j.state = 'active' AND j.due_at < now() - interval '2 seconds' AND j.checked_at < now() - interval '5 seconds' * (1 << least(j.checks, 7))
      AND NOT cron_held(j)
    ORDER BY j.due_at
    LIMIT 200
    FOR UPDATE SKIP LOCKED
)
RETURNING id;

-- name: CronBusy :one
-- Whether a turn runs or a message waits in a conversation of a user, other than one of a job.
SELECT EXISTS (
    SELECT 1 FROM sessions s WHERE s.user_id = $1 AND s.chat_type <> 'cron' AND (
        EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running')
        OR EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = s.key AND i.kind IN ('message', 'control') AND i.outcome IS NULL)));

-- name: CronLastTalk :one
-- The conversation of a user on a platform in which they wrote last, alone with the bot.
SELECT s.key FROM sessions s
CROSS JOIN LATERAL (
    SELECT i.id FROM inbox i
    WHERE i.session_key = s.key AND i.place IS NOT NULL AND i.kind <> 'background' AND i.user_id = s.user_id AND i.place ->> 'chat_type' = 'direct'
    ORDER BY i.id DESC LIMIT 1
) said
WHERE s.user_id = $1
ORDER BY said.id DESC
LIMIT 1;

-- name: CronMay :one
-- Whether a job may speak in a conversation: in one of its owner, and that of an administrator in any.
SELECT EXISTS (
    SELECT 1 FROM sessions s JOIN users u ON u.id = sqlc.arg(owner) WHERE s.key = sqlc.arg(key) AND (s.user_id = u.id OR u.role = 'admin'));

-- name: CronHearts :many
-- The jobs of heartbeats.
SELECT * FROM cron_jobs WHERE heartbeat <> '' AND state <> 'deleted';

-- name: CronDropWaiting :many
-- Runs of a job that no turn has begun: nobody answers them any more.
UPDATE inbox SET outcome = 'recalled'
WHERE inbox.kind = 'background' AND inbox.outcome IS NULL AND inbox.id IN (SELECT r.inbox_id FROM cron_runs r WHERE r.job_id = $1)
RETURNING id, session_key, body;
