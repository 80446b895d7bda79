-- name: RunnerEnsure :one
-- Makes a runner of the server's own, or gives it a new token.
INSERT INTO runners (user_id, name, token_hash) VALUES ($1, $2, $3)
ON CONFLICT (user_id, name) DO UPDATE SET token_hash = EXCLUDED.token_hash, revoked_at = NULL
RETURNING id;

-- name: RunnerCreate :one
-- No row: the name is taken. A name that was revoked is free again.
INSERT INTO runners (user_id, name, token_hash) VALUES ($1, $2, $3)
ON CONFLICT (user_id, name) DO UPDATE
SET token_hash = EXCLUDED.token_hash, revoked_at = NULL, created_at = now(), info = NULL, seen_at = NULL
WHERE runners.revoked_at IS NOT NULL
RETURNING id;

-- name: RunnerRenew :execrows
UPDATE runners SET token_hash = $3 WHERE user_id = $1 AND name = $2 AND revoked_at IS NULL;

-- name: RunnerRevoke :execrows
UPDATE runners SET revoked_at = now() WHERE user_id = $1 AND name = $2 AND revoked_at IS NULL;

-- name: RunnerByToken :one
SELECT r.id, r.user_id, r.name, r.token_hash, u.role
FROM runners r JOIN users u ON u.id = r.user_id
WHERE r.token_hash = $1 AND r.revoked_at IS NULL;

-- name: RunnerConnected :exec
UPDATE runners SET info = $2, seen_at = now() WHERE token_hash = $1;

-- name: RunnersSeen :many
-- Records that connections with these tokens are open, and returns the tokens that are still valid.
WITH seen AS (
    UPDATE runners SET seen_at = now()
    WHERE token_hash = ANY(sqlc.arg(hashes)::bytea[]) AND revoked_at IS NULL
    RETURNING token_hash, user_id, name
), held AS (
    UPDATE connections c SET seen_at = now()
    FROM seen s
    WHERE c.name = CASE WHEN s.name = 'local' THEN 'local' ELSE s.user_id || '/' || s.name END AND c.connected
)
SELECT token_hash FROM seen;

-- name: RunnerList :many
-- Runners with their connections. An ingress that was killed leaves its rows in connections as they were: one that nobody
-- has seen for 45 s, three looks, has ended. For one user: theirs, and for administrators the server's host.
SELECT r.name, r.user_id, u.name AS owner, r.created_at, r.info, r.seen_at, c.connected_at,
       coalesce(c.connected AND c.seen_at > now() - interval '45 seconds', false)::boolean AS online
FROM runners r
JOIN users u ON u.id = r.user_id
LEFT JOIN connections c ON c.name = CASE WHEN r.name = 'local' THEN 'local' ELSE r.user_id || '/' || r.name END
WHERE r.revoked_at IS NULL
  AND (sqlc.narg(owner)::bigint IS NULL OR r.user_id = sqlc.narg(owner)::bigint OR (sqlc.arg(host)::boolean AND r.name = 'local'))
ORDER BY r.name, r.user_id;

-- name: RunnerChoice :one
-- The runner that a user's command asks for: the given one, else their active one, else none. sole is the only one of
-- theirs that is connected, else the only one that ever was; without exactly one it is empty. outside: they are no person of the house.
WITH own AS (
    SELECT r.name, coalesce(c.connected AND r.seen_at > now() - interval '45 seconds', false) AS online
    FROM runners r LEFT JOIN connections c ON c.name = r.user_id || '/' || r.name
    WHERE r.user_id = sqlc.arg(owner)::bigint AND r.revoked_at IS NULL AND r.info IS NOT NULL AND r.name NOT IN ('local', '__docker__')
), chosen AS (
    SELECT coalesce(
        nullif(sqlc.arg(asked)::text, ''),
        (SELECT s.value FROM user_settings s WHERE s.user_id = sqlc.arg(owner)::bigint AND s.key = 'active_runner'),
        '')::text AS name
)
SELECT u.role, (u.kind IN ('service', 'consumer'))::boolean AS outside, chosen.name,
       EXISTS (SELECT 1 FROM runners r WHERE r.user_id = u.id AND r.name = chosen.name AND r.revoked_at IS NULL) AS known,
       coalesce((SELECT min(own.name) FROM own WHERE own.online HAVING count(*) = 1),
                (SELECT min(own.name) FROM own HAVING count(*) = 1), '')::text AS sole
FROM users u, chosen
WHERE u.id = sqlc.arg(owner)::bigint;

-- name: ConnectionOpen :one
INSERT INTO connections (name, holder) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, epoch = connections.epoch + 1, connected = true, connected_at = now(), seen_at = now()
RETURNING epoch;

-- name: ConnectionClose :exec
UPDATE connections SET connected = false WHERE name = $1 AND epoch = $2;

-- name: ConnectionHolder :one
-- Who holds a connection. One whose holder was killed has ended, as in RunnerList.
SELECT holder, epoch, (connected AND seen_at > now() - interval '45 seconds')::boolean AS connected FROM connections WHERE name = $1;

-- name: RunnerConfinement :one
-- No row: no administrator has chosen.
SELECT c.confine, c.changed_at, coalesce(u.name, '')::text AS changed_by
FROM runner_confinement c LEFT JOIN users u ON u.id = c.changed_by WHERE c.runner = 'local';

-- name: RunnerConfinementSet :exec
-- Repeating the same choice changes neither its author nor its time.
INSERT INTO runner_confinement AS c (runner, confine, changed_by) VALUES ('local', $1, $2)
ON CONFLICT (runner) DO UPDATE SET confine = EXCLUDED.confine, changed_by = EXCLUDED.changed_by, changed_at = now()
WHERE c.confine <> EXCLUDED.confine;
