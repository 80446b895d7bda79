-- name: MemorizeJobAdd :exec
-- What the model sees of a conversation, or what it has seen since it was memorized last. Nothing is added where nobody has
-- said anything; one with little in it is noted as skipped. Call it before the session begins anew.
INSERT INTO memorize_jobs (session_key, key, trigger, compaction_id, done_upto, upto, newest, state)
SELECT s.key, sqlc.arg(key), sqlc.arg(trigger), span.compaction_id, span.done, sqlc.arg(upto)::bigint, sqlc.arg(newest)::bigint,
       CASE WHEN said.n >= 3 OR said.size >= 120 THEN 'waiting' ELSE 'skipped' END
FROM sessions s
LEFT JOIN controls c ON c.id = s.compaction_id
LEFT JOIN controls rs ON rs.id = s.reset_id
CROSS JOIN LATERAL (
    SELECT coalesce(max(j.upto), 0) AS upto FROM memorize_jobs j WHERE j.session_key = s.key AND j.state IN ('waiting', 'done') AND j.upto < sqlc.arg(upto)::bigint
) last
CROSS JOIN LATERAL (
    SELECT greatest(c.message_id, rs.message_id, last.upto, 0)::bigint AS done,
           CASE WHEN c.message_id >= greatest(rs.message_id, last.upto, 0) THEN c.id END AS compaction_id
) span
CROSS JOIN LATERAL (
    SELECT count(*) AS n, coalesce(sum(octet_length(p.content)), 0) AS size FROM (
        SELECT m.content FROM messages m
        WHERE m.session_key = s.key AND m.id > span.done AND m.id <= sqlc.arg(upto)::bigint AND m.role = 'user' AND NOT m.display_only
          AND m.rewound_by IS NULL AND (m.origin IN ('', 'continue', 'superseded') OR sqlc.arg(anybody)::boolean)
        LIMIT 3
    ) p
) said
WHERE s.key = sqlc.arg(session_key) AND said.n > 0
ON CONFLICT (session_key, key) DO NOTHING;

-- name: SessionAgent :one
-- Which agent answers, and whether the person has said that their conversations are not put into memory.
SELECT s.agent, EXISTS (SELECT 1 FROM user_settings o WHERE o.user_id = s.user_id AND (o.key, o.value) IN (('memory', 'off'), ('agent_notes', 'locked'))) AS off
FROM sessions s WHERE s.key = $1;

-- name: MemorizeJobGet :one
SELECT j.id, j.session_key, s.user_id, u.name AS user_name, j.trigger, j.compaction_id, j.done_upto, j.part_upto, j.upto, j.newest, j.state, j.tries
FROM memorize_jobs j JOIN sessions s ON s.key = j.session_key JOIN users u ON u.id = s.user_id
WHERE j.id = $1;

-- name: MemorizeJobSpan :one
-- When the messages of a part were written.
SELECT coalesce(min(created_at), now())::timestamptz AS since, coalesce(max(created_at), now())::timestamptz AS until FROM messages
WHERE session_key = $1 AND id > sqlc.arg(after)::bigint AND id <= sqlc.arg(upto)::bigint;

-- name: MemorizeJobPart :one
-- Says where the part ends that comes next. The first who says so is right, unless the part was found too long.
UPDATE memorize_jobs SET part_upto = CASE WHEN sqlc.arg(shorter)::boolean THEN sqlc.arg(part)::bigint ELSE coalesce(part_upto, sqlc.arg(part)::bigint) END
WHERE id = sqlc.arg(id) AND done_upto = sqlc.arg(done)::bigint AND state = 'waiting'
RETURNING part_upto::bigint AS upto;

-- name: MemorizeJobAdvance :exec
UPDATE memorize_jobs SET done_upto = sqlc.arg(upto)::bigint, part_upto = NULL, tries = 0
WHERE id = sqlc.arg(id) AND done_upto = sqlc.arg(done)::bigint AND state = 'waiting';

-- name: MemorizeJobTried :one
UPDATE memorize_jobs SET tries = tries + 1, error = sqlc.arg(error), held_until = NULL WHERE id = $1 AND state = 'waiting' RETURNING tries;

-- name: MemorizeJobEnd :one
-- No row: it has ended before, or its session was deleted.
UPDATE memorize_jobs SET state = sqlc.arg(state), error = sqlc.arg(error), held_until = NULL, part_upto = NULL, ended_at = now()
WHERE id = $1 AND state = 'waiting'
RETURNING session_key;

-- name: MemorizeJobHold :one
-- Lets a job call a model, one of a tenant at a time, while a place is free that answers could have. false: it has to wait.
UPDATE memorize_jobs SET held_until = CASE WHEN f.free THEN clock_timestamp() + sqlc.arg(lease)::interval END
FROM (
    SELECT NOT EXISTS (
        SELECT 1 FROM memorize_jobs o JOIN sessions os ON os.key = o.session_key
        WHERE os.user_id = t.user_id AND o.id <> j.id AND o.held_until > clock_timestamp()
    ) AND (
        SELECT count(*) FROM llm_leases l
        WHERE l.user_id = t.user_id AND l.held_until > clock_timestamp() AND l.pool = CASE WHEN t.subagent THEN 'subagent' WHEN t.own THEN 'personal' ELSE 'global' END
    ) < CASE WHEN t.subagent THEN sqlc.arg(most_subagent)::int WHEN t.own THEN sqlc.arg(most_personal)::int ELSE sqlc.arg(most_global)::int END AS free
    FROM memorize_jobs j JOIN session_tenants t ON t.session_key = j.session_key
    WHERE j.id = sqlc.arg(id)
) f
WHERE memorize_jobs.id = sqlc.arg(id) AND memorize_jobs.state = 'waiting'
RETURNING f.free::boolean AS held;

-- name: MemorizeJobKeep :exec
UPDATE memorize_jobs SET held_until = clock_timestamp() + sqlc.arg(lease)::interval WHERE id = sqlc.arg(id) AND held_until IS NOT NULL;

-- name: MemorizeJobRelease :exec
UPDATE memorize_jobs SET held_until = NULL WHERE id = $1;

-- name: MemorizeJobToStart :many
-- Jobs whose workflow was not looked for a while; the caller starts it unless it runs.
UPDATE memorize_jobs SET checked_at = now()
WHERE id IN (
    SELECT j.id FROM memorize_jobs j
    WHERE j.state = 'waiting' AND j.checked_at < now() - sqlc.arg(older)::interval
    ORDER BY j.checked_at
    LIMIT 50
    FOR UPDATE SKIP LOCKED
)
RETURNING id;

-- name: MemoryPartDrop :exec
-- Has the next turn of a conversation read memory again.
DELETE FROM session_parts WHERE session_key = $1 AND key = '20_memory';

-- name: MemorizeJobList :many
-- The newest jobs of a person that were not left out.
SELECT j.id, j.session_key, s.title, j.trigger, j.state, j.tries, j.error, j.created_at, j.ended_at
FROM memorize_jobs j JOIN sessions s ON s.key = j.session_key
WHERE s.user_id = $1 AND j.state <> 'skipped'
ORDER BY j.id DESC LIMIT sqlc.arg(n);

-- name: ControlMessage :one
SELECT message_id FROM controls WHERE id = $1;
