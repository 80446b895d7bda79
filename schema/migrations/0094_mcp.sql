-- +goose Up
CREATE TABLE mcp_servers (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      bigint      REFERENCES users ON DELETE CASCADE,
    name         text        NOT NULL CHECK (name ~ '^[a-z0-9-]{1,32}$'),
    transport    text        NOT NULL CHECK (transport IN ('stdio', 'http', 'sse')),
    command      text        NOT NULL DEFAULT '',
    args         text[]      NOT NULL DEFAULT '{}',
    url          text        NOT NULL DEFAULT '',
    env_names    text[]      NOT NULL DEFAULT '{}',
    header_names text[]      NOT NULL DEFAULT '{}',
    secrets      bytea,
    instructions text        NOT NULL DEFAULT '',
    enabled      boolean     NOT NULL DEFAULT true,
    revision     bigint      NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now(),
    changed_at   timestamptz NOT NULL DEFAULT now(),
    changed_by   bigint      REFERENCES users ON DELETE SET NULL,
    listed_at    timestamptz,
    digest       text        NOT NULL DEFAULT '',
    guide        text        NOT NULL DEFAULT '',
    left_out     text[]      NOT NULL DEFAULT '{}',
    tools        int         NOT NULL DEFAULT 0,
    prompts      jsonb       NOT NULL DEFAULT '[]',
    resources    jsonb       NOT NULL DEFAULT '[]',
    problem      text        NOT NULL DEFAULT '',
    problem_at   timestamptz,
    UNIQUE NULLS NOT DISTINCT (user_id, name),
    CHECK (CASE transport WHEN 'stdio' THEN command <> '' AND url = '' ELSE command = '' AND url <> '' END)
);
COMMENT ON TABLE mcp_servers IS 'Servers of tools that speak the Model Context Protocol. What they are is written by /api/mcp-servers and by the tool ManageTools; what they offer and what failed (listed_at to problem_at) by each process that connects to one.';
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

CREATE TABLE mcp_tools (
    server_id   bigint  NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    place       int     NOT NULL,
    name        text    NOT NULL,
    title       text    NOT NULL DEFAULT '',
    description text    NOT NULL DEFAULT '',
    schema      jsonb   NOT NULL,
    hints       jsonb   NOT NULL DEFAULT '{}',
    PRIMARY KEY (server_id, name)
);
COMMENT ON TABLE mcp_tools IS 'Tools that MCP servers listed last, so that they are known without a connection. Written, all of a server at once, by the process that has asked it.';
COMMENT ON COLUMN mcp_tools.place IS 'Where it stood in the list, from 0.';
COMMENT ON COLUMN mcp_tools.schema IS 'JSON Schema of its arguments: an object.';
COMMENT ON COLUMN mcp_tools.hints IS 'What the server says of its effects: read_only, idempotent, destructive, open_world.';

-- A new revision, and neither values that were sealed anew nor a new list.
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON mcp_servers
    FOR EACH ROW EXECUTE FUNCTION note_change('mcp', 'user_id', 'name', 'transport command args url env_names header_names instructions enabled', 'secrets', 'changed_by');
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, channel, access, person, invite, deletion, schedule, trigger, role.';

-- +goose Down
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, channel, access, person, invite, deletion, schedule, trigger, role.';
DROP TABLE mcp_tools;
DROP TABLE mcp_servers;
