-- name: CronFiringAdd :execrows
-- No row: the time, or the request, has fired before.
INSERT INTO cron_firings (job_id, key, scheduled_at, reason) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- name: CronFiringsPrune :exec
-- Keeps the newest firings of a job, and those whose runs are not all over.
DELETE FROM cron_firings old WHERE old.job_id = sqlc.arg(job)::text AND old.filled AND old.id <= (
    SELECT f.id FROM cron_firings f WHERE f.job_id = sqlc.arg(job)::text ORDER BY f.id DESC OFFSET sqlc.arg(keep)::int LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM cron_runs r WHERE r.firing_id = old.id AND r.lane <> 'over');

-- name: TrackLock :exec
-- Those who move the line do so one after the other.
UPDATE service_track SET looked_at = now();

-- name: TrackToWake :one
-- Whether there is work of the track that its workflow may act on. It is asked for no more often than the workflow looks by itself.
UPDATE service_track SET looked_at = now()
WHERE looked_at < now() - interval '40 seconds'
RETURNING (EXISTS (SELECT 1 FROM cron_firings f WHERE NOT f.filled) OR EXISTS (SELECT 1 FROM cron_runs r WHERE r.lane = 'posted') OR EXISTS (
    SELECT 1 FROM cron_jobs j
    WHERE j.service_id IS NOT NULL AND j.state IN ('active', 'done') AND EXISTS (SELECT 1 FROM cron_runs_in_line r WHERE r.job_id = j.id) AND NOT cron_held(j)
))::boolean AS due;

-- name: TrackFillOne :execrows
-- Writes the runs of the oldest firings that tell one conversation, many at once: those of one key keep nobody else's from the line. A run is passed
-- over where one of the same job before it is not over.
WITH f AS (
    SELECT f.id, f.job_id, f.key, f.scheduled_at, f.reason, f.fired_at, j.conversation
    FROM cron_firings f JOIN cron_jobs j ON j.id = f.job_id
    WHERE NOT f.filled AND j.conversation IS NOT NULL
    ORDER BY f.id LIMIT sqlc.arg(most)::int
    FOR UPDATE OF f
), runs AS (
    INSERT INTO cron_runs (job_id, key, scheduled_at, reason, session_key, firing_id, skipped, lane, ended_at)
    SELECT n.job_id, n.key || '/' || n.conversation_id, n.scheduled_at, n.reason, n.session_key, n.id, CASE WHEN n.under_way THEN 'waiting' ELSE '' END,
           CASE WHEN n.under_way THEN 'over' ELSE 'queued' END, CASE WHEN n.under_way THEN now() END
    FROM (
        SELECT f.*, c.session_key, c.id AS conversation_id,
               row_number() OVER (PARTITION BY f.job_id ORDER BY f.id) > 1
               OR EXISTS (SELECT 1 FROM cron_runs o WHERE o.job_id = f.job_id AND o.session_key = c.session_key AND o.lane IN ('queued', 'posted')) AS under_way
        FROM f JOIN service_conversations c ON c.session_key = f.conversation JOIN users u ON u.id = c.user_id
        WHERE u.disabled_at IS NULL AND c.created_at <= f.fired_at
    ) n
    ORDER BY n.id
    ON CONFLICT DO NOTHING
)
UPDATE cron_firings SET filled = true FROM f WHERE cron_firings.id = f.id;

-- name: TrackFill :many
-- Writes the next runs of the oldest firing that tells all conversations and has not all of its runs, one for each conversation that there was when it
-- fired. One that has a run of the same job before it, which is not over, is passed over.
WITH f AS (
    SELECT f.id, f.job_id, f.key, f.scheduled_at, f.reason, f.fired_at, f.after_at, f.after_id, j.service_id
    FROM cron_firings f JOIN cron_jobs j ON j.id = f.job_id
    WHERE NOT f.filled AND j.conversation IS NULL
    ORDER BY f.id LIMIT 1
    FOR UPDATE OF f
), page AS (
    SELECT c.session_key, c.id, c.created_at
    FROM f JOIN service_conversations c ON c.service_id = f.service_id JOIN users u ON u.id = c.user_id
    WHERE u.disabled_at IS NULL AND c.created_at <= f.fired_at AND (c.created_at, c.id) > (f.after_at, f.after_id)
    ORDER BY c.created_at, c.id
    LIMIT sqlc.arg(most)::int
), runs AS (
    INSERT INTO cron_runs (job_id, key, scheduled_at, reason, session_key, firing_id, skipped, lane, ended_at)
    SELECT f.job_id, f.key || '/' || page.id, f.scheduled_at, f.reason, page.session_key, f.id, CASE WHEN o.under_way THEN 'waiting' ELSE '' END,
           CASE WHEN o.under_way THEN 'over' ELSE 'queued' END, CASE WHEN o.under_way THEN now() END
    FROM f, page, LATERAL (
        SELECT EXISTS (SELECT 1 FROM cron_runs o WHERE o.job_id = f.job_id AND o.session_key = page.session_key AND o.lane IN ('queued', 'posted')) AS under_way
    ) o
    ORDER BY page.created_at, page.id
    ON CONFLICT DO NOTHING
    RETURNING id
)
UPDATE cron_firings SET
    after_at = coalesce((SELECT max(page.created_at) FROM page), cron_firings.after_at),
    after_id = coalesce((SELECT page.id FROM page ORDER BY page.created_at DESC, page.id DESC LIMIT 1), cron_firings.after_id),
    filled = (SELECT count(*) FROM page) < sqlc.arg(most)::int
FROM f WHERE cron_firings.id = f.id
RETURNING cron_firings.id, (SELECT count(*) FROM runs)::int AS added;

-- name: TrackSettle :many
-- Runs whose turns are over give their places back. A turn that was lost before it did anything leaves its message to the next one.
UPDATE cron_runs SET lane = 'over', ended_at = coalesce(o.ended_at, now())
FROM (
    SELECT r.id, t.ended_at FROM cron_runs r LEFT JOIN inbox i ON i.id = r.inbox_id LEFT JOIN turns t ON t.id = i.turn_id
    WHERE r.lane = 'posted' AND (i.id IS NULL OR i.outcome IS NOT NULL AND (t.id IS NULL OR t.state <> 'running'))
) o
WHERE cron_runs.id = o.id
RETURNING cron_runs.job_id;

-- name: TrackLate :many
-- Runs that take longer than a run may, each once: from when its turn began, or, while none has, from when it was posted.
UPDATE cron_runs SET timed_out = true
FROM (
    SELECT r.id, i.id AS inbox_id, coalesce(t.id, '') AS turn_id
    FROM cron_runs r JOIN inbox i ON i.id = r.inbox_id LEFT JOIN turns t ON t.id = i.turn_id AND t.state = 'running'
    WHERE r.lane = 'posted' AND NOT r.timed_out AND (i.outcome IS NULL OR t.id IS NOT NULL) AND coalesce(t.started_at, r.posted_at) <= now() - sqlc.arg(most)::interval
) late
WHERE cron_runs.id = late.id
RETURNING cron_runs.id, cron_runs.session_key, late.inbox_id, late.turn_id::text AS turn_id;

-- name: TrackStop :many
-- Asks the turn of a run to stop, once.
INSERT INTO inbox (session_key, user_id, kind, channel, account, platform_id, body, target_turn)
SELECT s.key, s.user_id, 'stop', s.channel, 'cron', sqlc.arg(key)::text, '', sqlc.arg(turn_id)
FROM sessions s WHERE s.key = sqlc.arg(session_key)
ON CONFLICT ON CONSTRAINT inbox_platform_id DO NOTHING
RETURNING session_key, channel;

-- name: TrackDrop :many
-- A run that no turn has begun is not begun any more.
UPDATE inbox SET outcome = 'recalled' WHERE id = $1 AND outcome IS NULL
RETURNING id, session_key, body;

-- name: TrackPosted :one
-- How many runs have a place, and how long it is until the first of them has taken too long.
SELECT count(*)::int AS n,
       coalesce(extract(epoch FROM min(coalesce(t.started_at, r.posted_at)) FILTER (WHERE NOT r.timed_out) + sqlc.arg(most)::interval - now()), 0)::float8 AS left_s
FROM cron_runs r LEFT JOIN inbox i ON i.id = r.inbox_id LEFT JOIN turns t ON t.id = i.turn_id AND t.state = 'running'
WHERE r.lane = 'posted';

-- name: TrackPass :exec
-- Passes over what waits in line of consumers' jobs whose key is revoked, and of those of services whose tokens of the day are used up.
WITH spent AS MATERIALIZED (
    SELECT s.id FROM services s WHERE s.deleted_at IS NULL AND service_spent(s)
)
UPDATE cron_runs SET lane = 'over', ended_at = now(), skipped = CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' ELSE 'budget' END
FROM cron_jobs j JOIN service_conversations c ON c.user_id = j.user_id JOIN service_keys k ON k.id = c.key_id
WHERE cron_runs.lane = 'queued' AND j.id = cron_runs.job_id AND (k.revoked_at IS NOT NULL OR c.service_id IN (SELECT spent.id FROM spent));

-- name: TrackNext :one
-- The run that gets the next place. Administrators' tasks come first. Then keys take turns with the jobs of their conversations: first the one that has
-- the fewest places, and of those the one that got one the longest ago. Within each, the oldest run of the job that has the fewest. Those of jobs that
-- are paused or held wait, and those of conversations that a person has taken.
WITH posted AS MATERIALIZED (
    SELECT p.job_id, c.key_id FROM cron_runs p JOIN cron_jobs j ON j.id = p.job_id LEFT JOIN service_conversations c ON c.user_id = j.user_id WHERE p.lane = 'posted'
)
SELECT r.id, r.session_key, r.key, r.scheduled_at, r.reason, r.skipped, sqlc.embed(j), now()::timestamptz AS clock,
       (EXISTS (SELECT 1 FROM service_conversations c JOIN users u ON u.id = c.user_id WHERE c.session_key = r.session_key AND u.disabled_at IS NULL))::boolean AS there,
       (o.kind = 'consumer')::boolean AS own
FROM (
    SELECT q.job_id, min(q.id) AS id FROM cron_runs_in_line q GROUP BY q.job_id
) first
JOIN cron_runs r ON r.id = first.id
JOIN cron_jobs j ON j.id = first.job_id
JOIN users o ON o.id = j.user_id
LEFT JOIN service_conversations own ON own.user_id = j.user_id
LEFT JOIN service_keys k ON k.id = own.key_id
WHERE j.state IN ('active', 'done') AND NOT cron_held(j)
ORDER BY o.kind = 'consumer', (SELECT count(*) FROM posted p WHERE p.key_id = k.id), k.told_at NULLS FIRST,
         (SELECT count(*) FROM posted p WHERE p.job_id = first.job_id), r.id
LIMIT 1;

-- name: TrackPost :exec
-- A run has a place from now on; of a consumer's job, it is one of the consumer's key.
WITH run AS (
    UPDATE cron_runs SET lane = 'posted', posted_at = now(), inbox_id = sqlc.arg(inbox_id)::bigint WHERE cron_runs.id = sqlc.arg(id) RETURNING cron_runs.job_id
)
UPDATE service_keys SET told_at = clock_timestamp()
FROM run JOIN cron_jobs j ON j.id = run.job_id JOIN service_conversations c ON c.user_id = j.user_id
WHERE service_keys.id = c.key_id;

-- name: TrackPutBack :exec
-- Puts runs of a conversation back in line that no turn has begun. Whatever they told it has never been said.
WITH unsaid AS (
    DELETE FROM inbox WHERE inbox.outcome IS NULL AND inbox.id IN (
        SELECT r.inbox_id FROM cron_runs r WHERE r.session_key = sqlc.arg(session_key) AND r.lane = 'posted' AND NOT r.timed_out)
    RETURNING inbox.id
)
UPDATE cron_runs SET lane = 'queued', posted_at = NULL, inbox_id = NULL FROM unsaid WHERE cron_runs.inbox_id = unsaid.id;

-- name: TrackGone :exec
UPDATE cron_runs SET lane = 'over', ended_at = now(), skipped = 'gone' WHERE id = $1;

-- name: TrackWaits :one
-- Whether runs wait for a place that they may have, or for being written.
SELECT (EXISTS (SELECT 1 FROM cron_firings f WHERE NOT f.filled) OR EXISTS (
    SELECT 1 FROM cron_jobs j
    WHERE j.service_id IS NOT NULL AND j.state IN ('active', 'done') AND EXISTS (SELECT 1 FROM cron_runs_in_line r WHERE r.job_id = j.id) AND NOT cron_held(j)
))::boolean AS waits;

-- name: CronOfService :many
-- The jobs of a service that may run.
SELECT id FROM cron_jobs WHERE service_id = sqlc.arg(service)::text AND state = 'active';

-- name: CronOwner :one
-- Who a user is that has jobs: a consumer has those of one conversation.
SELECT u.kind, u.role, coalesce(c.service_id, '')::text AS service_id, coalesce(c.session_key, '')::text AS session_key, coalesce(s.admin_id, 0)::bigint AS admin_id,
       coalesce(s.definition -> 'capabilities' ? 'scheduler', false)::boolean AS may
FROM users u LEFT JOIN service_conversations c ON c.user_id = u.id LEFT JOIN services s ON s.id = c.service_id AND s.deleted_at IS NULL
WHERE u.id = $1;

-- name: CronRunGet :one
-- A run of a job with what was said in its turn.
SELECT r.id, r.job_id, i.turn_id, r.session_key, coalesce(t.model, '')::text AS model,
       coalesce((SELECT string_agg(m.text, E'\n\n' ORDER BY m.id) FROM (
           SELECT a.id, coalesce(a.shown, a.content) AS text FROM messages a
           WHERE a.turn_id = i.turn_id AND a.role IN ('assistant', 'notice') AND coalesce(a.shown, a.content) <> '' ORDER BY a.id DESC LIMIT 20
       ) m), '')::text AS output
FROM cron_runs r LEFT JOIN inbox i ON i.id = r.inbox_id LEFT JOIN LATERAL (
    SELECT m.model FROM messages m WHERE m.turn_id = i.turn_id AND m.role = 'assistant' AND m.model <> '' ORDER BY m.id LIMIT 1
) t ON true
WHERE r.id = sqlc.arg(id) AND r.job_id = sqlc.arg(job);

-- name: CronRunSteps :many
-- What a turn did: each time that its model was asked, each tool, and what was sent to a platform.
SELECT k.kind::text AS kind, k.name::text AS name, k.started_at::timestamptz AS started_at, k.finished_at, k.failed::boolean AS failed, k.note::text AS note FROM (
    SELECT 'model' AS kind, coalesce(m.model, '') AS name, s.started_at, s.finished_at, s.fault <> '' AS failed, s.fault AS note
    FROM steps s LEFT JOIN LATERAL (SELECT a.model FROM messages a WHERE a.turn_id = s.turn_id AND a.step = s.step AND a.role = 'assistant' ORDER BY a.id LIMIT 1) m ON true
    WHERE s.turn_id = sqlc.arg(turn)::text
    UNION ALL
    SELECT 'tool', c.name, coalesce(c.started_at, c.finished_at, s.finished_at, s.started_at), c.finished_at, c.is_error, ''
    FROM tool_calls c JOIN steps s ON s.turn_id = c.turn_id AND s.step = c.step
    WHERE c.turn_id = sqlc.arg(turn)::text
    UNION ALL
    SELECT 'delivery', o.channel, o.created_at, o.ended_at, o.state IN ('failed', 'expired'), o.state FROM outbound o WHERE o.turn_id = sqlc.arg(turn)::text
) k
ORDER BY k.started_at, k.kind LIMIT 200;

-- name: ServedSession :one
-- The conversation of a service, by its id.
SELECT c.session_key FROM service_conversations c JOIN users u ON u.id = c.user_id WHERE c.id = $1 AND u.disabled_at IS NULL;
