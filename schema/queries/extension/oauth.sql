-- name: OAuthProviderList :many
-- Those that a person sees: of the installation and, behind them, of MCP servers, the person's own included.
SELECT p.*, coalesce(u.name, '')::text AS changer, (SELECT count(*) FROM oauth_accounts a WHERE a.provider = p.id)::int AS accounts, coalesce(s.user_id, 0)::bigint AS owner
FROM oauth_providers p LEFT JOIN users u ON u.id = p.changed_by LEFT JOIN mcp_servers s ON s.id = p.mcp_server
WHERE s.user_id IS NULL OR s.user_id = sqlc.arg(viewer)::bigint
ORDER BY p.mcp_server NULLS FIRST, p.id;

-- name: OAuthProviderCount :one
-- Those that administrators keep.
SELECT count(*)::int FROM oauth_providers WHERE mcp_server IS NULL;

-- name: OAuthProviderUnnamed :exec
-- That of an MCP server which does not name it any more goes, with the accounts there.
DELETE FROM oauth_providers p USING mcp_servers s WHERE p.mcp_server = s.id AND s.id = sqlc.arg(server) AND s.account <> p.id;

-- name: OAuthProviderAdd :execrows
-- A new provider, or that of an MCP server in place of the one before. None: another one has the id.
INSERT INTO oauth_providers (id, name, issuer, issuer_optional, authorize_url, token_url, revoke_url, account_url, scopes, more_scopes, client_id, client_auth, secrets, enabled, resource, mcp_server,
                             changed_by)
VALUES (sqlc.arg(id), sqlc.arg(name), sqlc.arg(issuer), sqlc.arg(issuer_optional), sqlc.arg(authorize_url), sqlc.arg(token_url), sqlc.arg(revoke_url), sqlc.arg(account_url), sqlc.arg(scopes),
        sqlc.arg(more_scopes), sqlc.arg(client_id), sqlc.arg(client_auth), sqlc.narg(secrets), sqlc.arg(enabled), sqlc.arg(resource), sqlc.narg(mcp_server)::bigint, sqlc.narg(changed_by)::bigint)
ON CONFLICT (id) DO UPDATE
SET name = EXCLUDED.name, issuer = EXCLUDED.issuer, issuer_optional = EXCLUDED.issuer_optional, authorize_url = EXCLUDED.authorize_url, token_url = EXCLUDED.token_url, revoke_url = EXCLUDED.revoke_url,
    scopes = EXCLUDED.scopes, client_id = EXCLUDED.client_id, client_auth = EXCLUDED.client_auth, secrets = EXCLUDED.secrets, resource = EXCLUDED.resource,
    changed_by = EXCLUDED.changed_by, changed_at = now(), revision = oauth_providers.revision + 1
WHERE oauth_providers.mcp_server = EXCLUDED.mcp_server;

-- name: OAuthProviderReplace :execrows
-- Of the one revision that the change was made from.
UPDATE oauth_providers
SET name = sqlc.arg(name), issuer = sqlc.arg(issuer), authorize_url = sqlc.arg(authorize_url), token_url = sqlc.arg(token_url), revoke_url = sqlc.arg(revoke_url),
    account_url = sqlc.arg(account_url), scopes = sqlc.arg(scopes), more_scopes = sqlc.arg(more_scopes), client_id = sqlc.arg(client_id), client_auth = sqlc.arg(client_auth),
    secrets = sqlc.narg(secrets), enabled = sqlc.arg(enabled), changed_by = sqlc.narg(changed_by)::bigint, changed_at = now(), revision = revision + 1
WHERE id = sqlc.arg(id) AND revision = sqlc.arg(revision) AND mcp_server IS NULL;

-- name: OAuthProviderLock :one
-- The revision of a provider, which nobody changes meanwhile.
SELECT revision FROM oauth_providers WHERE id = $1 FOR SHARE;

-- name: OAuthAccountsVoid :exec
-- Whom tokens would be sent to is somebody else now: accounts have to be connected again.
UPDATE oauth_accounts SET secrets = sqlc.arg(secrets), expires_at = NULL, problem = sqlc.arg(problem) WHERE provider = sqlc.arg(provider);

-- name: OAuthFlowsVoid :exec
DELETE FROM oauth_flows WHERE provider = $1;

-- name: OAuthProviderDelete :execrows
DELETE FROM oauth_providers WHERE id = $1 AND mcp_server IS NULL;

-- name: OAuthAccountList :many
SELECT * FROM oauth_accounts WHERE user_id = $1 ORDER BY provider;

-- name: OAuthAccountLock :one
-- Other refreshes of it, in whatever process, and its end wait.
SELECT * FROM oauth_accounts WHERE user_id = sqlc.arg(user_id) AND provider = sqlc.arg(provider) FOR UPDATE;

-- name: OAuthAccountConnect :exec
-- Its tokens take the place of those before.
INSERT INTO oauth_accounts (user_id, provider, label, asked, scopes, secrets, expires_at)
VALUES (sqlc.arg(user_id), sqlc.arg(provider), sqlc.arg(label), sqlc.arg(asked), sqlc.arg(scopes), sqlc.arg(secrets), sqlc.narg(expires_at))
ON CONFLICT (user_id, provider) DO UPDATE
SET label = EXCLUDED.label, asked = EXCLUDED.asked, scopes = EXCLUDED.scopes, secrets = EXCLUDED.secrets, expires_at = EXCLUDED.expires_at, problem = '', connected_at = now(), refreshed_at = NULL;

-- name: OAuthAccountRefresh :exec
UPDATE oauth_accounts
SET scopes = sqlc.arg(scopes), secrets = sqlc.arg(secrets), expires_at = sqlc.narg(expires_at), problem = sqlc.arg(problem), refreshed_at = now()
WHERE id = sqlc.arg(id);

-- name: OAuthAccountDelete :exec
DELETE FROM oauth_accounts WHERE id = $1;

-- name: OAuthFlowAdd :exec
INSERT INTO oauth_flows (state_hash, user_id, provider, scopes, sealed, browser, login, call_id, expires_at)
VALUES (sqlc.arg(state_hash), sqlc.arg(user_id), sqlc.arg(provider), sqlc.arg(scopes), sqlc.arg(sealed), sqlc.arg(browser), sqlc.arg(login), sqlc.narg(call_id),
        now() + sqlc.arg(seconds)::float8 * interval '1 second');

-- name: OAuthFlowsTidy :exec
-- Those that have had their time go, and of a person all but the newest.
DELETE FROM oauth_flows f
WHERE f.expires_at < now() OR f.user_id = sqlc.arg(user_id) AND f.state_hash NOT IN (
    SELECT n.state_hash FROM oauth_flows n WHERE n.user_id = sqlc.arg(user_id) ORDER BY n.expires_at DESC LIMIT sqlc.arg(most)::int);

-- name: OAuthFlowTake :one
-- The flow of a state, once, for the browser that was sent with it.
DELETE FROM oauth_flows WHERE state_hash = sqlc.arg(state_hash) AND browser = sqlc.arg(browser) AND expires_at > now()
RETURNING *;
