-- name: SealingKeyUse :one
-- Notes that a secret is stored which was sealed with this key, and says whether it is too late for that. The row stays locked
-- until the secret is committed: who retires the key afterwards sees the secret.
INSERT INTO sealing_keys (id) VALUES ($1)
ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id
RETURNING (retired_at IS NOT NULL)::boolean AS retired;

-- name: SealingKeyRetireOthers :exec
UPDATE sealing_keys SET retired_at = now() WHERE id <> $1 AND retired_at IS NULL;

-- name: SealingKeyRevive :exec
-- Of a key that comes back, for example with a restored dump.
INSERT INTO sealing_keys (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET retired_at = NULL;

-- name: SealedList :many
SELECT 'channel' AS kind, (channel || '/' || account)::text AS name, secrets AS sealed FROM channel_accounts WHERE secrets IS NOT NULL
UNION ALL
SELECT 'trigger', id, secret FROM triggers
UNION ALL
SELECT 'payload', id, sealed FROM payload_keys
UNION ALL
SELECT 'subscription', id::text, secrets FROM llm_subscriptions WHERE secrets IS NOT NULL
UNION ALL
SELECT 'tool key', id::text, secrets FROM tool_keys WHERE secrets IS NOT NULL
UNION ALL
SELECT 'mcp server', id::text, secrets FROM mcp_servers WHERE secrets IS NOT NULL
UNION ALL
SELECT 'mcp project', id::text, secrets FROM mcp_projects WHERE secrets IS NOT NULL
UNION ALL
SELECT 'oauth provider', id, secrets FROM oauth_providers WHERE secrets IS NOT NULL
UNION ALL
SELECT 'oauth account', id::text, secrets FROM oauth_accounts
UNION ALL
SELECT 'oauth flow', encode(state_hash, 'hex'), sealed FROM oauth_flows
UNION ALL
SELECT 'plugin', id, secrets FROM plugins WHERE secrets IS NOT NULL
UNION ALL
SELECT 'agent secret', id::text, sealed FROM agent_secrets
UNION ALL
SELECT 'trace target', name, secrets FROM trace_targets WHERE secrets IS NOT NULL
ORDER BY 1, 2;

-- name: SealedReplacePayload :execrows
UPDATE payload_keys SET sealed = sqlc.arg(sealed) WHERE id = sqlc.arg(name) AND sealed = sqlc.arg(was);

-- name: SealedDropPayload :execrows
DELETE FROM payload_keys WHERE id = sqlc.arg(name) AND sealed = sqlc.arg(was);

-- name: PayloadKeys :many
-- The newest first.
SELECT id, sealed FROM payload_keys ORDER BY created_at DESC, id;

-- name: PayloadKeyAdd :exec
-- The first one, of whichever process is faster.
INSERT INTO payload_keys (id, sealed) SELECT sqlc.arg(id), sqlc.arg(sealed) WHERE NOT EXISTS (SELECT 1 FROM payload_keys);

-- name: SealedReplaceChannel :execrows
-- Its revision stays: what it is configured with is the same.
UPDATE channel_accounts SET secrets = sqlc.narg(sealed) WHERE channel || '/' || account = sqlc.arg(name) AND secrets = sqlc.arg(was);

-- name: SealedReplaceTrigger :execrows
UPDATE triggers SET secret = sqlc.arg(sealed) WHERE id = sqlc.arg(name) AND secret = sqlc.arg(was);

-- name: SealedReplaceSubscription :execrows
-- Its revision stays: the key is the same.
UPDATE llm_subscriptions SET secrets = sqlc.narg(sealed) WHERE id = sqlc.arg(name)::text::bigint AND secrets = sqlc.arg(was);

-- name: SealedReplaceToolKey :execrows
-- Its revision stays: the key is the same.
UPDATE tool_keys SET secrets = sqlc.narg(sealed) WHERE id = sqlc.arg(name)::text::bigint AND secrets = sqlc.arg(was);

-- name: SealedReplaceMCPServer :execrows
-- Its revision stays: the values are the same.
UPDATE mcp_servers SET secrets = sqlc.narg(sealed) WHERE id = sqlc.arg(name)::text::bigint AND secrets = sqlc.arg(was);

-- name: SealedReplaceMCPProject :execrows
UPDATE mcp_projects SET secrets = sqlc.narg(sealed) WHERE id = sqlc.arg(name)::text::bigint AND secrets = sqlc.arg(was);

-- name: SealedReplaceOAuthProvider :execrows
-- Its revision stays: the secret is the same.
UPDATE oauth_providers SET secrets = sqlc.narg(sealed) WHERE id = sqlc.arg(name) AND secrets = sqlc.arg(was);

-- name: SealedReplaceOAuthAccount :execrows
UPDATE oauth_accounts SET secrets = sqlc.arg(sealed) WHERE id = sqlc.arg(name)::text::bigint AND secrets = sqlc.arg(was);

-- name: SealedReplaceOAuthFlow :execrows
UPDATE oauth_flows SET sealed = sqlc.arg(sealed) WHERE encode(state_hash, 'hex') = sqlc.arg(name)::text AND sealed = sqlc.arg(was);

-- name: SealedReplacePlugin :execrows
-- Its revision stays: the settings are the same.
UPDATE plugins SET secrets = sqlc.narg(sealed) WHERE id = sqlc.arg(name) AND secrets = sqlc.arg(was);

-- name: SealedReplaceAgentSecret :execrows
-- Its revision stays: the value is the same.
UPDATE agent_secrets SET sealed = sqlc.arg(sealed) WHERE id = sqlc.arg(name)::text::bigint AND sealed = sqlc.arg(was);

-- name: SealedReplaceTraceTarget :execrows
-- Its revision stays: the secret is the same.
UPDATE trace_targets SET secrets = sqlc.narg(sealed) WHERE name = sqlc.arg(name) AND secrets = sqlc.arg(was);
