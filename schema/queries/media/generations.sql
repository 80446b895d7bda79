-- name: MediaCaller :one
-- The service and the key of a consumer, and the limits of the service; empty and 0 for other users.
SELECT coalesce(c.service_id, '')::text AS service_id, coalesce(c.key_id, '')::text AS key_id,
       coalesce((s.definition #>> '{limits,pictures_per_day}')::bigint, 0)::bigint AS pictures,
       coalesce((s.definition #>> '{limits,speech_characters_per_day}')::bigint, 0)::bigint AS characters,
       coalesce((s.definition #>> '{limits,video_seconds_per_day}')::bigint, 0)::bigint AS seconds
FROM users u
LEFT JOIN service_conversations c ON c.user_id = u.id
LEFT JOIN services s ON s.id = c.service_id
WHERE u.id = sqlc.arg(user_id);

-- name: MediaLock :exec
-- Puts the generations of a user, a key or a service in an order, until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended(sqlc.arg(name)::text, 210));

-- name: MediaTakenByUser :one
-- What a user has generated of a kind today (UTC), with what may still be paid for, and how many generations run.
SELECT (coalesce((SELECT sum(m.units) FROM media_usage m WHERE m.user_id = sqlc.arg(user_id) AND m.kind = sqlc.arg(kind) AND m.day = (now() AT TIME ZONE 'UTC')::date), 0)
      + coalesce((SELECT sum(g.units) FROM media_generations g WHERE g.user_id = sqlc.arg(user_id) AND g.kind = sqlc.arg(kind) AND g.booked_at IS NULL
                  AND g.state IN ('starting', 'started', 'unknown') AND g.created_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'), 0))::bigint AS taken,
       (SELECT count(*) FROM media_generations g WHERE g.user_id = sqlc.arg(user_id) AND g.state IN ('starting', 'started') AND g.alive_at > now() - interval '2 minutes')::bigint AS running;

-- name: MediaTakenByService :one
-- The same for a service, and for one of its keys.
SELECT (coalesce((SELECT sum(m.units) FROM service_media m WHERE m.service_id = sqlc.arg(service_id) AND m.kind = sqlc.arg(kind) AND m.day = (now() AT TIME ZONE 'UTC')::date
                  AND (sqlc.arg(key_id)::text = '' OR m.key_id = sqlc.arg(key_id))), 0)
      + coalesce((SELECT sum(g.units) FROM media_generations g WHERE g.service_id = sqlc.arg(service_id) AND g.kind = sqlc.arg(kind) AND g.booked_at IS NULL
                  AND g.state IN ('starting', 'started', 'unknown') AND g.created_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
                  AND (sqlc.arg(key_id)::text = '' OR g.key_id = sqlc.arg(key_id))), 0))::bigint AS taken,
       (SELECT count(*) FROM media_generations g WHERE g.service_id = sqlc.arg(service_id) AND g.state IN ('starting', 'started') AND g.alive_at > now() - interval '2 minutes'
        AND (sqlc.arg(key_id)::text = '' OR g.key_id = sqlc.arg(key_id)))::bigint AS running;

-- name: MediaAdd :execrows
INSERT INTO media_generations (call_id, session_key, user_id, service_id, key_id, kind, provider, base_url, model, units, state)
VALUES (sqlc.arg(call_id), sqlc.arg(session_key), sqlc.arg(user_id), sqlc.arg(service_id), sqlc.arg(key_id), sqlc.arg(kind), sqlc.arg(provider), sqlc.arg(base_url), sqlc.arg(model), sqlc.arg(units), 'starting')
ON CONFLICT (call_id) DO NOTHING;

-- name: MediaGet :one
SELECT sqlc.embed(g), (g.alive_at > now() - sqlc.arg(lease)::interval)::boolean AS alive
FROM media_generations g WHERE g.call_id = sqlc.arg(call_id);

-- name: MediaAlive :exec
UPDATE media_generations SET alive_at = now() WHERE call_id = sqlc.arg(call_id) AND state IN ('starting', 'started');

-- name: MediaStart :execrows
-- The provider has accepted the request. An answer that comes late is kept, too.
UPDATE media_generations SET state = 'started', job = sqlc.arg(job), links = sqlc.arg(links)::text[], alive_at = now(), problem = ''
WHERE call_id = sqlc.arg(call_id) AND state IN ('starting', 'started', 'unknown');

-- name: MediaEnd :execrows
-- Ends a generation without files. What was received stays.
UPDATE media_generations SET state = sqlc.arg(state), problem = sqlc.arg(problem), ended_at = now()
WHERE call_id = sqlc.arg(call_id) AND state IN ('starting', 'started');

-- name: MediaReceive :execrows
UPDATE media_generations SET state = 'received', files = sqlc.arg(files), problem = '', alive_at = now()
WHERE call_id = sqlc.arg(call_id) AND state IN ('starting', 'started', 'unknown');

-- name: MediaBook :one
-- Marks the usage as booked: the first one does.
UPDATE media_generations SET booked_at = now(), units = sqlc.arg(units), cost = sqlc.narg(cost)
WHERE call_id = sqlc.arg(call_id) AND booked_at IS NULL
RETURNING user_id, session_key, kind, provider, model;

-- name: MediaStore :exec
-- The conversation has the files: the staged ones go.
WITH gone AS (DELETE FROM media_staged s WHERE s.call_id = sqlc.arg(call_id))
UPDATE media_generations g SET state = 'stored', ended_at = now() WHERE g.call_id = sqlc.arg(call_id) AND g.state = 'received';

-- name: MediaStage :exec
INSERT INTO media_staged (call_id, file, part, data) VALUES (sqlc.arg(call_id), sqlc.arg(file), sqlc.arg(part), sqlc.arg(data))
ON CONFLICT (call_id, file, part) DO UPDATE SET data = EXCLUDED.data;

-- name: MediaUnstage :exec
-- Removes the parts of a file from one on.
DELETE FROM media_staged WHERE call_id = sqlc.arg(call_id) AND file = sqlc.arg(file) AND part >= sqlc.arg(part);

-- name: MediaPart :one
SELECT data FROM media_staged WHERE call_id = sqlc.arg(call_id) AND file = sqlc.arg(file) AND part = sqlc.arg(part);

-- name: MediaPrune :exec
-- Removes staged files that no conversation has taken for a week.
WITH old AS (
    SELECT g.call_id FROM media_generations g
    WHERE g.created_at < now() - sqlc.arg(older)::interval AND g.state IN ('received', 'started', 'failed', 'unknown')
      AND EXISTS (SELECT FROM media_staged s WHERE s.call_id = g.call_id) LIMIT 20
), gone AS (
    DELETE FROM media_staged s USING old WHERE s.call_id = old.call_id
)
UPDATE media_generations g SET state = 'failed', problem = sqlc.arg(problem), ended_at = now() FROM old WHERE g.call_id = old.call_id;
