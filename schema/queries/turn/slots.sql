-- name: SlotLock :exec
-- Locks the slots of turns until the transaction ends.
SELECT pg_advisory_xact_lock(714001, 0);

-- name: SlotEnter :one
-- The running turn of a session, empty if none, and whether this claim is one of the few that may go on without knowing of
-- each other. Locks are taken in a statement before the one that counts.
SELECT coalesce((SELECT t.id FROM turns t WHERE t.session_key = sqlc.arg(session) AND t.state = 'running'), '')::text AS running,
       (sqlc.arg(alone)::boolean OR pg_try_advisory_xact_lock_shared(714001, 0) AND (
           pg_try_advisory_xact_lock(714001, sqlc.arg(lane)::int) OR pg_try_advisory_xact_lock(714001, sqlc.arg(other_lane)::int)))::boolean AS entered;

-- name: SlotView :one
-- What a claim has to know: turns at once beside its own, in all and of its tenant, whether one is kept for it, and whether
-- somebody waits in line.
SELECT st.own::boolean AS own, st.subagent::boolean AS subagent,
       count(u.session_key) FILTER (WHERE u.session_key <> sqlc.arg(session))::int AS busy,
       count(u.session_key) FILTER (WHERE u.session_key <> sqlc.arg(session) AND CASE w.kind WHEN 'consumer' THEN w.owner_id ELSE w.id END = st.user_id)::int AS busy_of_tenant,
       coalesce(bool_or(u.session_key = sqlc.arg(session)), false)::boolean AS granted,
       EXISTS (SELECT 1 FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL)::boolean AS line
FROM session_tenants st
LEFT JOIN turn_slots u ON true
LEFT JOIN sessions s ON s.key = u.session_key
LEFT JOIN users w ON w.id = s.user_id
WHERE st.session_key = sqlc.arg(session)
GROUP BY st.user_id, st.own, st.subagent;

-- name: SlotWait :one
-- Puts a session in line, with the place that it has already or that of a message which its next one replaces. No row:
-- nothing of it waits.
WITH head AS (
    SELECT i.id, i.throttled_at FROM inbox i
    WHERE i.session_key = sqlc.arg(session) AND i.kind IN ('message', 'background', 'control') AND i.outcome IS NULL
    ORDER BY i.sent_at, i.sent_seq, i.id
    LIMIT 1
)
UPDATE inbox SET throttled_at = coalesce(
    inbox.throttled_at,
    (SELECT min(o.throttled_at) FROM inbox o WHERE o.session_key = sqlc.arg(session) AND o.outcome IS NULL),
    (SELECT min(r.throttled_at) FROM inbox r WHERE r.replaced_by = inbox.id),
    (SELECT min(n.throttled_at) FROM inbox n WHERE n.session_key = sqlc.arg(session) AND n.replaced_by = 0),
    clock_timestamp())
FROM head
WHERE inbox.id = head.id AND (inbox.not_before IS NULL OR inbox.not_before <= now())
RETURNING inbox.id, inbox.kind, inbox.platform_id, inbox.body, inbox.mode, inbox.sender, inbox.options, (head.throttled_at IS NULL)::boolean AS fresh;

-- name: SlotUse :exec
-- A session that begins its turn keeps no other.
UPDATE inbox SET granted_until = NULL
WHERE inbox.session_key = sqlc.arg(session) AND inbox.outcome IS NULL AND inbox.granted_until IS NOT NULL;

-- name: SlotExpire :many
-- Who did not use a turn that was kept for them goes to the end of the line.
UPDATE inbox SET throttled_at = clock_timestamp(), granted_until = NULL
WHERE inbox.outcome IS NULL AND inbox.throttled_at IS NOT NULL AND inbox.granted_until <= clock_timestamp()
RETURNING inbox.id;

-- name: SlotGrant :many
-- Keeps the free turns for those who are next: first whose tenant has the fewest, then whose tenant was served longest ago,
-- then who has waited longest. The caller holds SlotLock.
WITH taken AS MATERIALIZED (
    SELECT u.session_key FROM turn_slots u
), busy AS MATERIALIZED (
    SELECT CASE w.kind WHEN 'consumer' THEN w.owner_id ELSE w.id END AS user_id, count(*) AS n
    FROM taken JOIN sessions s ON s.key = taken.session_key JOIN users w ON w.id = s.user_id
    GROUP BY 1
), line AS (
    SELECT DISTINCT ON (i.session_key) i.id, i.session_key, i.throttled_at
    FROM inbox i
    WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM taken WHERE taken.session_key = i.session_key)
      AND NOT EXISTS (SELECT 1 FROM turns w WHERE w.session_key = i.session_key AND w.state = 'running') -- and waits for its provider
    ORDER BY i.session_key, i.throttled_at, i.id
), ranked AS (
    SELECT l.id, l.throttled_at, st.user_id,
           CASE WHEN st.own THEN sqlc.arg(own_key_turns)::int ELSE sqlc.arg(user_turns)::int END AS most,
           coalesce(b.n, 0) + row_number() OVER (PARTITION BY st.user_id ORDER BY l.throttled_at, l.id) AS place
    FROM line l
    JOIN session_tenants st ON st.session_key = l.session_key
    LEFT JOIN busy b ON b.user_id = st.user_id
), chosen AS (
    SELECT r.id, r.user_id
    FROM ranked r
    LEFT JOIN tenants_served v ON v.user_id = r.user_id
    WHERE r.most = 0 OR r.place <= r.most
    ORDER BY r.place, v.granted_at NULLS FIRST, r.throttled_at, r.id
    LIMIT greatest(0, sqlc.arg(turns)::int - (SELECT coalesce(sum(n), 0) FROM busy)::int)
), served AS (
    INSERT INTO tenants_served (user_id, granted_at)
    SELECT c.user_id, clock_timestamp() FROM chosen c GROUP BY c.user_id
    ON CONFLICT (user_id) DO UPDATE SET granted_at = EXCLUDED.granted_at
)
UPDATE inbox SET granted_until = clock_timestamp() + sqlc.arg(kept)::interval
FROM chosen
WHERE inbox.id = chosen.id
RETURNING inbox.id, inbox.session_key, inbox.user_id, inbox.channel, inbox.body;

-- name: SlotLine :one
SELECT EXISTS (SELECT 1 FROM inbox WHERE outcome IS NULL AND throttled_at IS NOT NULL)::boolean;

-- name: SlotUntold :many
-- Messages that have waited for a free turn for some time and whose sender was not notified.
WITH taken AS MATERIALIZED (
    SELECT u.session_key FROM turn_slots u
)
SELECT i.id, i.session_key, i.body
FROM inbox i
WHERE i.outcome IS NULL AND i.throttled_at < now() - sqlc.arg(older)::interval AND i.throttle_told_at IS NULL
  AND i.kind IN ('message', 'control')
  AND NOT EXISTS (SELECT 1 FROM taken WHERE taken.session_key = i.session_key)
  AND NOT EXISTS (SELECT 1 FROM turns w WHERE w.session_key = i.session_key AND w.state = 'running')
ORDER BY i.throttled_at
LIMIT 100;

-- name: SlotMarkTold :execrows
UPDATE inbox SET throttle_told_at = now() WHERE id = $1 AND throttle_told_at IS NULL AND outcome IS NULL;

-- name: SlotTenants :many
-- Turns that run, that are kept and that wait, by tenant; the longest wait in seconds.
WITH line AS (
    SELECT i.session_key, min(i.throttled_at) AS since, bool_or(i.granted_until > clock_timestamp()) AS kept
    FROM inbox i WHERE i.outcome IS NULL AND i.throttled_at IS NOT NULL
    GROUP BY i.session_key
), every AS (
    SELECT t.session_key, 1 AS running, 0 AS kept, 0 AS waiting, NULL::timestamptz AS since FROM turns t WHERE t.state = 'running' AND t.waits_since IS NULL
    UNION ALL
    SELECT l.session_key, 0, CASE WHEN l.kept THEN 1 ELSE 0 END, CASE WHEN l.kept THEN 0 ELSE 1 END, l.since FROM line l
    WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_key = l.session_key AND t.state = 'running')
)
SELECT u.id AS user_id, u.name, sum(e.running)::int AS running, sum(e.kept)::int AS kept, sum(e.waiting)::int AS waiting,
       coalesce(extract(epoch FROM clock_timestamp() - min(e.since)), 0)::float8 AS longest
FROM every e JOIN sessions s ON s.key = e.session_key JOIN users w ON w.id = s.user_id
JOIN users u ON u.id = CASE w.kind WHEN 'consumer' THEN w.owner_id ELSE w.id END
GROUP BY u.id, u.name
ORDER BY running DESC, waiting DESC, u.name;
