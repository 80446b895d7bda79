-- +goose Up
-- Extensions: keys of tools, MCP servers, OAuth accounts, plugins, roles, prompts, and the registry.

CREATE TABLE tool_sources_version (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint  NOT NULL
);
COMMENT ON TABLE tool_sources_version IS 'One row, which counts the changes of what brings tools to conversations: mcp_servers, mcp_projects, oauth_providers and tool_keys. Processes keep what they read until it differs. Written by count_tool_source_change in the transaction of each change.';
INSERT INTO tool_sources_version (version) VALUES (1);

-- +goose StatementBegin
CREATE FUNCTION count_tool_source_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tool_sources_version SET version = version + 1;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TABLE tool_keys (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint      REFERENCES users ON DELETE CASCADE,
    service    text        NOT NULL CHECK (service ~ '^[a-z]{1,32}$'),
    base_url   text        NOT NULL DEFAULT '',
    model      text        NOT NULL DEFAULT '',
    secrets    bytea,
    key_hint   text        NOT NULL DEFAULT '',
    revision   bigint      NOT NULL DEFAULT 1,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    UNIQUE NULLS NOT DISTINCT (user_id, service)
);
COMMENT ON TABLE tool_keys IS 'Keys and addresses of the services that tools use: search, pictures, speech, video, transcription. Written by /api/keys.';
COMMENT ON COLUMN tool_keys.user_id IS 'Whose it is; null: the installation''s, for everybody.';
COMMENT ON COLUMN tool_keys.secrets IS 'The key, sealed with the installation''s; null: the service needs none.';
COMMENT ON COLUMN tool_keys.key_hint IS 'The end of the key, by which people know it again.';
-- A new revision, and not a key that was sealed anew.
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON tool_keys
    FOR EACH ROW EXECUTE FUNCTION note_change('key', 'user_id', 'service', 'base_url model', 'secrets', 'changed_by');
-- Deferred, so that the row of the version is the last that a transaction locks.
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER INSERT OR UPDATE OR DELETE ON tool_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();

CREATE TABLE mcp_projects (
    id        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id   bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    runner    text        NOT NULL,
    folder    text        NOT NULL,
    digest    text        NOT NULL DEFAULT '',
    secrets   bytea,
    problem   text        NOT NULL DEFAULT '',
    seen_at   timestamptz NOT NULL DEFAULT now(),
    agreed    text        NOT NULL DEFAULT '',
    agreed_at timestamptz,
    texts     text        NOT NULL DEFAULT '',
    UNIQUE (user_id, runner, folder)
);
COMMENT ON TABLE mcp_projects IS 'Folders in which a conversation of a person has worked and that bring hooks, MCP servers or skills, and whether the person has agreed to it. What was seen is written by the processes that look at the folder, the word of the person by /api/mcp-projects alone.';
COMMENT ON COLUMN mcp_projects.runner IS 'The name of the runner on which the folder is.';
COMMENT ON COLUMN mcp_projects.digest IS 'SHA-256 of what xbot would run or call of the folder as it was seen last (hooks files, the programs of the folder that they name, .mcp.json; of .mcp.json alone where there are no hooks), hexadecimal; empty: it cannot be used.';
COMMENT ON COLUMN mcp_projects.secrets IS 'What the folder brings as it was seen last, sealed with the installation''s key, since it may hold tokens; null: it cannot be used.';
COMMENT ON COLUMN mcp_projects.problem IS 'Why the file cannot be used; empty: it can.';
COMMENT ON COLUMN mcp_projects.agreed IS 'Digest of what the person has agreed to, whose servers are rows of mcp_servers; empty: nothing. It is used where it is the digest of what was seen last.';
COMMENT ON COLUMN mcp_projects.texts IS 'SHA-256 of the names of the skills and the files with instructions that the folder brings, which its digest leaves out; empty: none.';
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER INSERT OR UPDATE OR DELETE ON mcp_projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();

CREATE TABLE mcp_servers (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id       bigint      REFERENCES users ON DELETE CASCADE,
    name          text        NOT NULL CHECK (name ~ '^[a-z0-9-]{1,32}$'),
    transport     text        NOT NULL CHECK (transport IN ('stdio', 'http', 'sse')),
    command       text        NOT NULL DEFAULT '',
    args          text[]      NOT NULL DEFAULT '{}',
    url           text        NOT NULL DEFAULT '',
    env_names     text[]      NOT NULL DEFAULT '{}',
    header_names  text[]      NOT NULL DEFAULT '{}',
    secrets       bytea,
    instructions  text        NOT NULL DEFAULT '',
    enabled       boolean     NOT NULL DEFAULT true,
    revision      bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT now(),
    changed_at    timestamptz NOT NULL DEFAULT now(),
    changed_by    bigint      REFERENCES users ON DELETE SET NULL,
    listed_at     timestamptz,
    digest        text        NOT NULL DEFAULT '',
    guide         text        NOT NULL DEFAULT '',
    left_out      text[]      NOT NULL DEFAULT '{}',
    tools         int         NOT NULL DEFAULT 0,
    prompts       jsonb       NOT NULL DEFAULT '[]',
    resources     jsonb       NOT NULL DEFAULT '[]',
    problem       text        NOT NULL DEFAULT '',
    problem_at    timestamptz,
    account       text        NOT NULL DEFAULT '',
    from_file     boolean     NOT NULL DEFAULT false,
    wants_account boolean     NOT NULL DEFAULT false,
    project_id    bigint      REFERENCES mcp_projects ON DELETE CASCADE,
    trusted       boolean     NOT NULL DEFAULT false,
    CHECK (CASE transport WHEN 'stdio' THEN command <> '' AND url = '' ELSE command = '' AND url <> '' END),
    CONSTRAINT mcp_servers_user_id_name_key UNIQUE NULLS NOT DISTINCT (user_id, name, project_id),
    CONSTRAINT mcp_servers_trusted CHECK (NOT trusted OR user_id IS NULL)
);
CREATE INDEX mcp_servers_of_project ON mcp_servers (project_id) WHERE project_id IS NOT NULL;
COMMENT ON TABLE mcp_servers IS 'Servers of tools that speak the Model Context Protocol. What they are is written by /api/mcp-servers, by the tool ManageTools, and for those of mcp.json by the processes that read it; what they offer and what failed (listed_at to problem_at) by each process that connects to one.';
COMMENT ON COLUMN mcp_servers.user_id IS 'Whose it is; null: the installation''s, for everybody.';
COMMENT ON COLUMN mcp_servers.env_names IS 'Names of the environment variables of a command; their values are in secrets.';
COMMENT ON COLUMN mcp_servers.header_names IS 'Names of the headers of each request; their values are in secrets.';
COMMENT ON COLUMN mcp_servers.secrets IS 'Values of variables and headers by name, as JSON, sealed with the installation''s key; null: there are none.';
COMMENT ON COLUMN mcp_servers.instructions IS 'What its owner tells the model about it.';
COMMENT ON COLUMN mcp_servers.listed_at IS 'When it last said what it offers; null: it has not since it became what it is.';
COMMENT ON COLUMN mcp_servers.digest IS 'Tells one list of what it offers from another, so that processes read the list only where it is new to them.';
COMMENT ON COLUMN mcp_servers.guide IS 'What it says itself about its use.';
COMMENT ON COLUMN mcp_servers.left_out IS 'What it offers and nobody is shown, each with why.';
COMMENT ON COLUMN mcp_servers.tools IS 'How many rows of mcp_tools it has.';
COMMENT ON COLUMN mcp_servers.problem IS 'Why it could not be reached or read the last time; empty: it could.';
COMMENT ON COLUMN mcp_servers.account IS 'The OAuth provider (oauth_providers.id) whose connected account authorizes requests: that of whoever uses the server; empty: none.';
COMMENT ON COLUMN mcp_servers.from_file IS 'It stands in mcp.json of the server''s data folder. Written by the process that reads the file, and by nobody else.';
COMMENT ON COLUMN mcp_servers.wants_account IS 'The problem is that it asks for an account (401), and none is named.';
COMMENT ON COLUMN mcp_servers.project_id IS 'It stands in the .mcp.json of that folder, as the person has agreed to it; null: it stands in none. Written with their word alone.';
COMMENT ON COLUMN mcp_servers.trusted IS 'Whether an administrator believes what the server says of the effects of its tools: those that say that they only read count as such. Of servers of the installation alone.';
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER INSERT OR UPDATE OR DELETE ON mcp_servers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON mcp_servers
    FOR EACH ROW EXECUTE FUNCTION note_change('mcp', 'user_id', 'name', 'transport command args url env_names header_names account instructions trusted enabled', 'secrets', 'changed_by');

CREATE TABLE mcp_tools (
    server_id   bigint NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    place       int    NOT NULL,
    name        text   NOT NULL,
    title       text   NOT NULL DEFAULT '',
    description text   NOT NULL DEFAULT '',
    schema      jsonb  NOT NULL,
    hints       jsonb  NOT NULL DEFAULT '{}',
    PRIMARY KEY (server_id, name)
);
COMMENT ON TABLE mcp_tools IS 'Tools that MCP servers listed last, so that they are known without a connection. Written, all of a server at once, by the process that has asked it.';
COMMENT ON COLUMN mcp_tools.place IS 'Where it stood in the list, from 0.';
COMMENT ON COLUMN mcp_tools.schema IS 'JSON Schema of its arguments: an object.';
COMMENT ON COLUMN mcp_tools.hints IS 'What the server says of its effects: read_only, idempotent, destructive, open_world.';

CREATE TABLE mcp_samples (
    call_id    text        NOT NULL REFERENCES tool_calls ON DELETE CASCADE,
    request    text        NOT NULL,
    model      text        NOT NULL,
    answer     text        NOT NULL,
    finish     text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (call_id, request)
);
COMMENT ON TABLE mcp_samples IS 'What models answered to requests of MCP servers during calls of their tools (sampling). Written by the activity of the call, in the transaction that books the usage, so that a call that is made again pays for a request once.';
COMMENT ON COLUMN mcp_samples.request IS 'SHA-256 of the request, and how often the same request came before in the call.';

CREATE TABLE oauth_providers (
    id              text        PRIMARY KEY CHECK (id ~ '^[a-z0-9-]{1,32}$'),
    name            text        NOT NULL,
    issuer          text        NOT NULL DEFAULT '',
    authorize_url   text        NOT NULL,
    token_url       text        NOT NULL,
    revoke_url      text        NOT NULL DEFAULT '',
    account_url     text        NOT NULL DEFAULT '',
    scopes          text[]      NOT NULL DEFAULT '{}',
    more_scopes     text[]      NOT NULL DEFAULT '{}',
    client_id       text        NOT NULL,
    client_auth     text        NOT NULL DEFAULT 'body' CHECK (client_auth IN ('body', 'header')),
    secrets         bytea,
    enabled         boolean     NOT NULL DEFAULT true,
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    changed_at      timestamptz NOT NULL DEFAULT now(),
    changed_by      bigint      REFERENCES users ON DELETE SET NULL,
    mcp_server      bigint      UNIQUE REFERENCES mcp_servers ON DELETE CASCADE,
    resource        text        NOT NULL DEFAULT '',
    issuer_optional boolean     NOT NULL DEFAULT false
);
COMMENT ON TABLE oauth_providers IS 'Services at which people have accounts that xbot may use for them, by OAuth 2.0. Written by administrators, with /api/oauth/providers; that of an MCP server by whoever connects an account for it, with /api/mcp-servers.';
COMMENT ON COLUMN oauth_providers.issuer IS 'Who the provider says it is when it sends a browser back (RFC 9207); empty: it is not compared.';
COMMENT ON COLUMN oauth_providers.account_url IS 'Where an access token is answered with whose it is, as JSON; empty: nobody is asked.';
COMMENT ON COLUMN oauth_providers.scopes IS 'What is always asked for.';
COMMENT ON COLUMN oauth_providers.more_scopes IS 'What a conversation may ask for beside scopes.';
COMMENT ON COLUMN oauth_providers.client_auth IS 'Where requests for tokens have the secret of the client: in their body or in a header.';
COMMENT ON COLUMN oauth_providers.secrets IS 'The secret of the client, as JSON, sealed with the installation''s key; null: there is none.';
COMMENT ON COLUMN oauth_providers.mcp_server IS 'The MCP server that has named it and for which alone it is, with which it comes and goes; null: administrators keep it.';
COMMENT ON COLUMN oauth_providers.resource IS 'What tokens are asked for (RFC 8707); empty: it is not said.';
COMMENT ON COLUMN oauth_providers.issuer_optional IS 'A browser may come back without a word of who sends it (RFC 9207); any other word than issuer is refused.';
-- Of the provider of an MCP server its change of account tells, to whom that server is.
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF revision ON oauth_providers
    FOR EACH ROW WHEN (NEW.mcp_server IS NULL)
    EXECUTE FUNCTION note_change('provider', '', 'id', 'name issuer authorize_url token_url revoke_url account_url scopes more_scopes client_id client_auth enabled', 'secrets', 'changed_by');
CREATE TRIGGER note_removal AFTER DELETE ON oauth_providers
    FOR EACH ROW WHEN (OLD.mcp_server IS NULL)
    EXECUTE FUNCTION note_change('provider', '', 'id', 'name issuer authorize_url token_url revoke_url account_url scopes more_scopes client_id client_auth enabled', 'secrets', 'changed_by');
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER INSERT OR UPDATE OR DELETE ON oauth_providers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();

CREATE TABLE oauth_accounts (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
-- Neither tokens that were refreshed nor such that were sealed anew.
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF connected_at, problem ON oauth_accounts
    FOR EACH ROW EXECUTE FUNCTION note_change('account', 'user_id', 'provider', 'label scopes problem', '', '');

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

CREATE SEQUENCE plugin_revisions;
CREATE TABLE plugins (
    id           text        PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{0,23}$'),
    version      text        NOT NULL,
    digest       text        NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    manifest     jsonb       NOT NULL,
    archive      bytea       NOT NULL,
    permissions  text[]      NOT NULL DEFAULT '{}',
    enabled      boolean     NOT NULL DEFAULT true,
    secrets      bytea,
    revision     bigint      NOT NULL DEFAULT nextval('plugin_revisions'),
    installation bigint      NOT NULL DEFAULT nextval('plugin_revisions'),
    kept_keys    bigint      NOT NULL DEFAULT 0,
    kept_bytes   bigint      NOT NULL DEFAULT 0,
    problem      text        NOT NULL DEFAULT '',
    problem_at   timestamptz,
    installed_at timestamptz NOT NULL DEFAULT now(),
    changed_at   timestamptz NOT NULL DEFAULT now(),
    changed_by   bigint      REFERENCES users ON DELETE SET NULL,
    read_only    text[]      NOT NULL DEFAULT '{}',
    failure      text        NOT NULL DEFAULT '',
    failure_at   timestamptz
);
COMMENT ON TABLE plugins IS 'Programs that add tools, hooks, texts of prompts and commands, for the whole installation. Written by administrators, with /api/plugins and xbot plugin, and by whoever runs one, who notes problems.';
COMMENT ON COLUMN plugins.digest IS 'SHA-256 of its files, which names the folder that they are unpacked into.';
COMMENT ON COLUMN plugins.manifest IS 'Its plugin.json.';
COMMENT ON COLUMN plugins.archive IS 'Its files, as a zip file that xbot wrote: every server unpacks them where it needs them.';
COMMENT ON COLUMN plugins.permissions IS 'What an administrator has permitted it.';
COMMENT ON COLUMN plugins.secrets IS 'Values of its settings, as JSON, sealed with the installation''s key; null: there are none.';
COMMENT ON COLUMN plugins.revision IS 'Another, higher one with each change, reloads among them, also after it was removed and installed again: processes of another revision end.';
COMMENT ON COLUMN plugins.installation IS 'Names its data folder. It stays with new versions, and is another one after it was removed and installed again.';
COMMENT ON COLUMN plugins.kept_keys IS 'How many values it keeps in plugin_values.';
COMMENT ON COLUMN plugins.kept_bytes IS 'Their size with that of their keys, in bytes.';
COMMENT ON COLUMN plugins.problem IS 'Why it does not work; empty: nothing is known against it.';
COMMENT ON COLUMN plugins.read_only IS 'Names, as models call them, of its tools that an administrator was shown to change nothing, before it was installed: others that say so count as acting.';
COMMENT ON COLUMN plugins.failure IS 'The last failure of a process of the installed version, written by package bridge; it remains when the plugin works again. Empty: none.';
COMMENT ON COLUMN plugins.failure_at IS 'The time of the last failure; NULL: none.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON plugins
    FOR EACH ROW EXECUTE FUNCTION note_change('plugin', '', 'id', 'version digest permissions enabled', 'secrets', 'changed_by');

CREATE TABLE plugin_values (
    plugin_id  text        NOT NULL REFERENCES plugins ON DELETE CASCADE,
    user_id    bigint      REFERENCES users ON DELETE CASCADE,
    key        text        NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 256),
    value      text        NOT NULL CHECK (octet_length(value) <= 65536),
    changed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (plugin_id, user_id, key)
);
CREATE INDEX plugin_values_by_user ON plugin_values (user_id) WHERE user_id IS NOT NULL;
COMMENT ON TABLE plugin_values IS 'What plugins keep. Written by plugins, with storage/set. It goes with the plugin, and what is a person''s with the person.';
COMMENT ON COLUMN plugin_values.user_id IS 'Whose it is; null: the plugin''s own.';

-- +goose StatementBegin
CREATE FUNCTION count_plugin_value() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE plugins SET kept_keys = kept_keys - 1, kept_bytes = kept_bytes - octet_length(OLD.key) - octet_length(OLD.value) WHERE id = OLD.plugin_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE plugins SET kept_keys = kept_keys + 1, kept_bytes = kept_bytes + octet_length(NEW.key) + octet_length(NEW.value) WHERE id = NEW.plugin_id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER count_value AFTER INSERT OR UPDATE OR DELETE ON plugin_values FOR EACH ROW EXECUTE FUNCTION count_plugin_value();

CREATE TABLE agent_roles (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id  bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    key      text   NOT NULL CHECK (key <> ''),
    revision bigint NOT NULL DEFAULT 1,
    UNIQUE (user_id, key)
);
COMMENT ON TABLE agent_roles IS 'Roles of subagents that people keep in xbot, beside the files of roles. Written by /api/roles.';
COMMENT ON COLUMN agent_roles.key IS 'The name in small letters.';
COMMENT ON COLUMN agent_roles.revision IS 'The version in force, of agent_role_versions.';
CREATE TRIGGER note_change AFTER DELETE ON agent_roles
    FOR EACH ROW EXECUTE FUNCTION note_change('role', 'user_id', 'key', 'key', '', '');

CREATE TABLE agent_role_versions (
    role_id    bigint      NOT NULL REFERENCES agent_roles ON DELETE CASCADE,
    revision   bigint      NOT NULL,
    body       jsonb       NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    PRIMARY KEY (role_id, revision)
);
COMMENT ON TABLE agent_role_versions IS 'What a role was after each change, with who and when; the oldest beyond a hundred go. Written with agent_roles.';

CREATE TABLE agent_role_switches (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    key        text        NOT NULL CHECK (key <> ''),
    enabled    boolean     NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    PRIMARY KEY (user_id, key)
);
COMMENT ON TABLE agent_role_switches IS 'Whether a person has a role of the program or the installation, by its name in small letters; no row: they have it. Written by /api/roles.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF enabled ON agent_role_switches
    FOR EACH ROW EXECUTE FUNCTION note_change('role', 'user_id', 'key', 'enabled', '', 'changed_by');

CREATE TABLE prompt_versions (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    section    text        NOT NULL CHECK (section <> ''),
    version    int         NOT NULL CHECK (version > 0),
    content    text        NOT NULL,
    beside     boolean     NOT NULL,
    label      text        NOT NULL,
    note       text        NOT NULL DEFAULT '',
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    PRIMARY KEY (user_id, section, version)
);
COMMENT ON TABLE prompt_versions IS 'What people wrote in place of sections of the system prompt, by section; the newest version is in force. Written by /api/prompts.';
COMMENT ON COLUMN prompt_versions.section IS 'system: the beginning; else the key of a capability.';
COMMENT ON COLUMN prompt_versions.content IS 'Empty: the installation''s text, from then on.';
COMMENT ON COLUMN prompt_versions.beside IS 'It stands behind the installation''s text, rather than in its place.';

CREATE TABLE registry_entries (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    kind       text        NOT NULL CHECK (kind IN ('skill', 'role')),
    key        text        NOT NULL,
    visibility text        NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'everybody')),
    withdrawn  text        NOT NULL DEFAULT '' CHECK (withdrawn IN ('', 'owner', 'administrator')),
    newest     int         NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    UNIQUE (user_id, kind, key)
);
CREATE INDEX registry_entries_by_changer ON registry_entries (changed_by);
COMMENT ON TABLE registry_entries IS 'Skills and roles that people have published, for themselves or for everybody. Written by /api/registry and /app.';
COMMENT ON COLUMN registry_entries.key IS 'The name in small letters.';
COMMENT ON COLUMN registry_entries.withdrawn IS 'Who has withdrawn it, so that nobody else finds it; empty: nobody. Its owner cannot take back what an administrator did.';
COMMENT ON COLUMN registry_entries.newest IS 'The newest version, of registry_versions.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF visibility, withdrawn, newest ON registry_entries
    FOR EACH ROW EXECUTE FUNCTION note_change('published', 'user_id', 'kind key', 'visibility withdrawn newest', '', 'changed_by');

CREATE TABLE registry_versions (
    entry_id     bigint      NOT NULL REFERENCES registry_entries ON DELETE CASCADE,
    number       int         NOT NULL,
    name         text        NOT NULL,
    description  text        NOT NULL,
    tags         text[]      NOT NULL DEFAULT '{}',
    digest       text        NOT NULL,
    bundle       bytea       NOT NULL,
    size         int         NOT NULL,
    files        int         NOT NULL,
    notes        text        NOT NULL DEFAULT '',
    published_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (entry_id, number)
);
COMMENT ON TABLE registry_versions IS 'What was published when; the oldest beyond twenty of an entry go. Written with registry_entries and never changed.';
COMMENT ON COLUMN registry_versions.digest IS 'SHA-256 of the names, modes and contents of the files, hex.';
COMMENT ON COLUMN registry_versions.bundle IS 'The files as a zip archive that xbot has packed.';
COMMENT ON COLUMN registry_versions.size IS 'Of the files, in bytes.';

CREATE TABLE registry_installs (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      bigint      REFERENCES users ON DELETE CASCADE,
    kind         text        NOT NULL CHECK (kind IN ('skill', 'role')),
    key          text        NOT NULL,
    name         text        NOT NULL,
    description  text        NOT NULL,
    entry_id     bigint      REFERENCES registry_entries ON DELETE SET NULL,
    number       int         NOT NULL,
    digest       text        NOT NULL,
    bundle       bytea       NOT NULL,
    size         int         NOT NULL,
    files        int         NOT NULL,
    enabled      boolean     NOT NULL DEFAULT true,
    installed_at timestamptz NOT NULL DEFAULT now(),
    changed_by   bigint      REFERENCES users ON DELETE SET NULL
);
CREATE UNIQUE INDEX registry_installs_by_name ON registry_installs ((coalesce(user_id, 0)), kind, key);
CREATE INDEX registry_installs_by_entry ON registry_installs (entry_id);
CREATE INDEX registry_installs_by_user ON registry_installs (user_id);
CREATE INDEX registry_installs_by_digest ON registry_installs (digest);
CREATE INDEX registry_installs_by_changer ON registry_installs (changed_by);
COMMENT ON TABLE registry_installs IS 'Copies of published skills and roles that people, or everybody, work with. Written by /api/registry and /app. They stay when their entry goes, unless an administrator withdraws it or takes its digest from everybody.';
COMMENT ON COLUMN registry_installs.user_id IS 'Whose it is; null: the installation''s, for everybody.';
COMMENT ON COLUMN registry_installs.number IS 'The version of the entry that it is a copy of.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF number, digest, enabled ON registry_installs
    FOR EACH ROW EXECUTE FUNCTION note_change('install', 'user_id', 'kind name', 'number digest enabled', '', 'changed_by');

CREATE VIEW own_prompts AS
SELECT u.id AS user_id,
       coalesce((
           SELECT jsonb_object_agg(n.section, jsonb_build_object('content', n.content, 'beside', n.beside)) FROM (
               SELECT DISTINCT ON (p.section) p.section, p.content, p.beside FROM prompt_versions p WHERE p.user_id = u.id ORDER BY p.section, p.version DESC
           ) n WHERE n.content <> ''
       ), '{}')::jsonb AS sections,
       (coalesce((SELECT string_agg(r.id || '.' || r.revision, ' ' ORDER BY r.id) FROM agent_roles r WHERE r.user_id = u.id), '') ||
        coalesce((SELECT string_agg(' -' || s.key, '' ORDER BY s.key) FROM agent_role_switches s WHERE s.user_id = u.id AND NOT s.enabled), '') ||
        coalesce((SELECT string_agg(' +' || i.id || '.' || left(i.digest, 12), '' ORDER BY i.id) FROM registry_installs i
                  WHERE coalesce(i.user_id, 0) IN (u.id, 0) AND i.kind = 'role' AND i.enabled), ''))::text AS roles,
       coalesce((SELECT string_agg(i.id || '.' || left(i.digest, 12), ' ' ORDER BY i.id) FROM registry_installs i
                 WHERE coalesce(i.user_id, 0) IN (u.id, 0) AND i.kind = 'skill' AND i.enabled), '')::text AS skills
FROM (SELECT id FROM users UNION ALL SELECT 0) u;
COMMENT ON VIEW own_prompts IS 'What a user has in place of parts of the system prompt: the newest version of each section, unless it is empty, and what their roles of subagents are, written and installed, and their installed skills, as texts that differ when they do. User 0 has those that are installed for everybody.';

-- mcp_projects are read with the role of their user, and tool_keys by the administrator of a service.
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER UPDATE OF role, owner_id ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();

-- +goose Down
DROP TRIGGER count_tool_source_change ON users;
DROP VIEW own_prompts;
DROP TABLE registry_installs, registry_versions, registry_entries, prompt_versions, agent_role_switches, agent_role_versions, agent_roles, plugin_values;
DROP FUNCTION count_plugin_value;
DROP TABLE plugins;
DROP SEQUENCE plugin_revisions;
DROP TABLE oauth_flows, oauth_accounts, oauth_providers, mcp_samples, mcp_tools, mcp_servers, mcp_projects, tool_keys;
DROP FUNCTION count_tool_source_change;
DROP TABLE tool_sources_version;
