-- name: StorageMigrationBegin :one
-- No row: one is running.
INSERT INTO storage_migrations (target) VALUES (sqlc.arg(target)) ON CONFLICT (state) WHERE state = 'running' DO NOTHING RETURNING id;

-- name: StorageMigrationGet :one
SELECT id, target, state, created_at, ended_at FROM storage_migrations WHERE id = $1;

-- name: StorageMigrationLast :one
SELECT id, target, state, created_at, ended_at FROM storage_migrations ORDER BY id DESC LIMIT 1;

-- name: StorageMigrationChecked :exec
UPDATE storage_migrations SET checked_at = now() WHERE id = $1;

-- name: StorageMigrationEnd :execrows
UPDATE storage_migrations SET state = sqlc.arg(state), ended_at = now() WHERE id = sqlc.arg(id) AND state = 'running';

-- name: StorageMigrationsToStart :many
-- Migrations on which no step was done for a while.
UPDATE storage_migrations m SET checked_at = now() WHERE m.state = 'running' AND m.checked_at < now() - sqlc.arg(after)::interval RETURNING m.id;
