-- name: AgentSecretList :many
-- Those of an agent, or of all where none is named.
SELECT id, agent, name, sealed, set_at FROM agent_secrets WHERE agent = sqlc.arg(agent)::text OR sqlc.arg(agent)::text = '' ORDER BY agent, name;

-- name: AgentSecretSet :exec
INSERT INTO agent_secrets (agent, name, sealed) VALUES (sqlc.arg(agent), sqlc.arg(name), sqlc.arg(sealed))
ON CONFLICT (agent, name) DO UPDATE SET sealed = EXCLUDED.sealed, revision = agent_secrets.revision + 1, set_at = now();

-- name: AgentSecretLock :exec
-- One change of an agent's secrets at a time, so that their bounds hold.
SELECT pg_advisory_xact_lock(hashtextextended('agent_secrets/' || sqlc.arg(agent)::text, 0));

-- name: AgentSecretDelete :execrows
DELETE FROM agent_secrets WHERE agent = sqlc.arg(agent) AND name = sqlc.arg(name);

-- name: RunnerIsListed :one
-- Whether a runner stands in a list of OWNER/NAME. What people call themselves on a platform proves nothing.
SELECT EXISTS (
    SELECT 1 FROM runners r JOIN users u ON u.id = r.user_id
    WHERE r.user_id = sqlc.arg(owner)::bigint AND r.name = sqlc.arg(name)::text AND r.revoked_at IS NULL AND NOT u.met
      AND u.name || '/' || r.name = ANY (sqlc.arg(listed)::text[])
)::boolean;
