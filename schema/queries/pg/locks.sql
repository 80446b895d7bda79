-- name: LockName :exec
-- Holds a name until the end of the transaction: who makes something of that name comes one after the other.
SELECT pg_advisory_xact_lock(hashtextextended(sqlc.arg(name)::text, 0));
