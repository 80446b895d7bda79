-- +goose Up
CREATE TABLE oauth_providers (
    id            text        PRIMARY KEY CHECK (id ~ '^[a-z0-9-]{1,32}$'),
    name          text        NOT NULL,
    issuer        text        NOT NULL DEFAULT '',
    authorize_url text        NOT NULL,
    token_url     text        NOT NULL,
    revoke_url    text        NOT NULL DEFAULT '',
    account_url   text        NOT NULL DEFAULT '',
    scopes        text[]      NOT NULL DEFAULT '{}',
    more_scopes   text[]      NOT NULL DEFAULT '{}',
    client_id     text        NOT NULL,
    client_auth   text        NOT NULL DEFAULT 'body' CHECK (client_auth IN ('body', 'header')),
    secrets       bytea,
    enabled       boolean     NOT NULL DEFAULT true,
    revision      bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT now(),
    changed_at    timestamptz NOT NULL DEFAULT now(),
    changed_by    bigint      REFERENCES users ON DELETE SET NULL
);
COMMENT ON TABLE oauth_providers IS 'Services at which people have accounts that xbot may use for them, by OAuth 2.0. Written by administrators, with /api/oauth/providers.';
COMMENT ON COLUMN oauth_providers.issuer IS 'Who the provider says it is when it sends a browser back (RFC 9207); empty: it is not compared.';
COMMENT ON COLUMN oauth_providers.account_url IS 'Where an access token is answered with whose it is, as JSON; empty: nobody is asked.';
COMMENT ON COLUMN oauth_providers.scopes IS 'What is always asked for.';
COMMENT ON COLUMN oauth_providers.more_scopes IS 'What a conversation may ask for beside scopes.';
COMMENT ON COLUMN oauth_providers.client_auth IS 'Where requests for tokens have the secret of the client: in their body or in a header.';
COMMENT ON COLUMN oauth_providers.secrets IS 'The secret of the client, as JSON, sealed with the installation''s key; null: there is none.';

CREATE TABLE oauth_accounts (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    provider     text        NOT NULL REFERENCES oauth_providers ON DELETE CASCADE,
    label        text        NOT NULL DEFAULT '',
    asked        text[]      NOT NULL DEFAULT '{}',
    scopes       text[]      NOT NULL DEFAULT '{}',
    secrets      bytea       NOT NULL,
    expires_at   timestamptz,
    problem      text        NOT NULL DEFAULT '',
    connected_at timestamptz NOT NULL DEFAULT now(),
    refreshed_at timestamptz,
    UNIQUE (user_id, provider)
);
CREATE INDEX oauth_accounts_by_provider ON oauth_accounts (provider);
COMMENT ON TABLE oauth_accounts IS 'Accounts that people have connected, with their tokens. Written by /oauth/callback, by whoever refreshes a token, who holds the row locked meanwhile, and by /api/oauth/accounts.';
COMMENT ON COLUMN oauth_accounts.label IS 'Whose account it is, in the words of the provider; empty: it did not say.';
COMMENT ON COLUMN oauth_accounts.asked IS 'The scopes that were asked for when it was connected.';
COMMENT ON COLUMN oauth_accounts.scopes IS 'What was granted, in the words of the provider, which may have other names for what was asked for.';
COMMENT ON COLUMN oauth_accounts.secrets IS 'Access token and refresh token, as JSON, sealed with the installation''s key.';
COMMENT ON COLUMN oauth_accounts.expires_at IS 'When the access token ends; null: the provider did not say.';
COMMENT ON COLUMN oauth_accounts.problem IS 'Why it must be connected again; empty: it need not.';

CREATE TABLE oauth_flows (
    state_hash bytea       PRIMARY KEY,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    provider   text        NOT NULL REFERENCES oauth_providers ON DELETE CASCADE,
    scopes     text[]      NOT NULL,
    sealed     bytea       NOT NULL,
    browser    bytea       NOT NULL,
    login      boolean     NOT NULL,
    call_id    text        REFERENCES tool_calls ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_flows_by_user ON oauth_flows (user_id, expires_at);
CREATE INDEX oauth_flows_by_call ON oauth_flows (call_id) WHERE call_id IS NOT NULL;
COMMENT ON TABLE oauth_flows IS 'Browsers that are on their way to a provider and back. Written when one is sent there, and removed when it comes back, which happens once.';
COMMENT ON COLUMN oauth_flows.state_hash IS 'Hash of the state that the browser brings back.';
COMMENT ON COLUMN oauth_flows.sealed IS 'The verifier of PKCE, as JSON, sealed with the installation''s key.';
COMMENT ON COLUMN oauth_flows.browser IS 'Hash of the cookie of the browser that was sent: no other may come back.';
COMMENT ON COLUMN oauth_flows.login IS 'The browser has to be signed in as the user, too.';
COMMENT ON COLUMN oauth_flows.call_id IS 'The call that waits for the account; null: none does.';

ALTER TABLE mcp_servers ADD COLUMN account text NOT NULL DEFAULT '';
COMMENT ON COLUMN mcp_servers.account IS 'The OAuth provider (oauth_providers.id) whose connected account authorizes requests: that of whoever uses the server; empty: none.';
DROP TRIGGER note_change ON mcp_servers;
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON mcp_servers
    FOR EACH ROW EXECUTE FUNCTION note_change('mcp', 'user_id', 'name', 'transport command args url env_names header_names account instructions enabled', 'secrets', 'changed_by');

CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON oauth_providers
    FOR EACH ROW EXECUTE FUNCTION note_change('provider', '', 'id', 'name issuer authorize_url token_url revoke_url account_url scopes more_scopes client_id client_auth enabled', 'secrets', 'changed_by');
-- Neither tokens that were refreshed nor such that were sealed anew.
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF connected_at, problem ON oauth_accounts
    FOR EACH ROW EXECUTE FUNCTION note_change('account', 'user_id', 'provider', 'label scopes problem', '', '');
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role.';

-- +goose Down
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, channel, access, person, invite, deletion, schedule, trigger, role.';
DROP TRIGGER note_change ON mcp_servers;
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON mcp_servers
    FOR EACH ROW EXECUTE FUNCTION note_change('mcp', 'user_id', 'name', 'transport command args url env_names header_names instructions enabled', 'secrets', 'changed_by');
ALTER TABLE mcp_servers DROP COLUMN account;
DROP TABLE oauth_flows;
DROP TABLE oauth_accounts;
DROP TABLE oauth_providers;
