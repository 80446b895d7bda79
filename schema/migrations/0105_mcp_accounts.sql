-- +goose Up
ALTER TABLE oauth_providers
    ADD COLUMN mcp_server      bigint  UNIQUE REFERENCES mcp_servers ON DELETE CASCADE,
    ADD COLUMN resource        text    NOT NULL DEFAULT '',
    ADD COLUMN issuer_optional boolean NOT NULL DEFAULT false;
COMMENT ON TABLE oauth_providers IS 'Services at which people have accounts that xbot may use for them, by OAuth 2.0. Written by administrators, with /api/oauth/providers; that of an MCP server by whoever connects an account for it, with /api/mcp-servers.';
COMMENT ON COLUMN oauth_providers.mcp_server IS 'The MCP server that has named it and for which alone it is, with which it comes and goes; null: administrators keep it.';
COMMENT ON COLUMN oauth_providers.resource IS 'What tokens are asked for (RFC 8707); empty: it is not said.';
COMMENT ON COLUMN oauth_providers.issuer_optional IS 'A browser may come back without a word of who sends it (RFC 9207); any other word than issuer is refused.';
ALTER TABLE mcp_servers ADD COLUMN wants_account boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN mcp_servers.wants_account IS 'The problem is that it asks for an account (401), and none is named.';

-- Of the provider of an MCP server its change of account tells, to whom that server is.
DROP TRIGGER note_change ON oauth_providers;
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF revision ON oauth_providers
    FOR EACH ROW WHEN (NEW.mcp_server IS NULL)
    EXECUTE FUNCTION note_change('provider', '', 'id', 'name issuer authorize_url token_url revoke_url account_url scopes more_scopes client_id client_auth enabled', 'secrets', 'changed_by');
CREATE TRIGGER note_removal AFTER DELETE ON oauth_providers
    FOR EACH ROW WHEN (OLD.mcp_server IS NULL)
    EXECUTE FUNCTION note_change('provider', '', 'id', 'name issuer authorize_url token_url revoke_url account_url scopes more_scopes client_id client_auth enabled', 'secrets', 'changed_by');

-- +goose Down
UPDATE mcp_servers s SET account = '' FROM oauth_providers p WHERE p.mcp_server = s.id AND p.id = s.account;
DELETE FROM oauth_providers WHERE mcp_server IS NOT NULL;
DROP TRIGGER note_removal ON oauth_providers;
DROP TRIGGER note_change ON oauth_providers;
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON oauth_providers
    FOR EACH ROW EXECUTE FUNCTION note_change('provider', '', 'id', 'name issuer authorize_url token_url revoke_url account_url scopes more_scopes client_id client_auth enabled', 'secrets', 'changed_by');
ALTER TABLE mcp_servers DROP COLUMN wants_account;
ALTER TABLE oauth_providers DROP COLUMN mcp_server, DROP COLUMN resource, DROP COLUMN issuer_optional;
COMMENT ON TABLE oauth_providers IS 'Services at which people have accounts that xbot may use for them, by OAuth 2.0. Written by administrators, with /api/oauth/providers.';
