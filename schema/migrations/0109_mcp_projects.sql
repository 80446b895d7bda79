-- +goose Up
CREATE TABLE mcp_projects (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id   bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    runner    text        NOT NULL,
    folder    text        NOT NULL,
    digest    text        NOT NULL DEFAULT '',
    secrets   bytea,
    problem   text        NOT NULL DEFAULT '',
    seen_at   timestamptz NOT NULL DEFAULT now(),
    agreed    text        NOT NULL DEFAULT '',
    agreed_at timestamptz,
    UNIQUE (user_id, runner, folder)
);
COMMENT ON TABLE mcp_projects IS 'Folders with a file .mcp.json in which a conversation of a person has worked, and whether the person has agreed to the servers of it. What was seen is written by the processes that look at the file, the word of the person by /api/mcp-projects alone.';
COMMENT ON COLUMN mcp_projects.runner IS 'The name of the runner on which the folder is.';
COMMENT ON COLUMN mcp_projects.digest IS 'SHA-256 of the file as it was seen last, hexadecimal; empty: it cannot be used.';
COMMENT ON COLUMN mcp_projects.secrets IS 'The file as it was seen last, sealed with the installation''s key, since it may hold tokens; null: it cannot be used.';
COMMENT ON COLUMN mcp_projects.problem IS 'Why the file cannot be used; empty: it can.';
COMMENT ON COLUMN mcp_projects.agreed IS 'Digest of the file to which the person has agreed, whose servers are rows of mcp_servers; empty: to none. They are used where it is the digest of the file as it was seen last.';

ALTER TABLE mcp_servers ADD COLUMN project_id bigint REFERENCES mcp_projects ON DELETE CASCADE;
COMMENT ON COLUMN mcp_servers.project_id IS 'It stands in the .mcp.json of that folder, as the person has agreed to it; null: it stands in none. Written with their word alone.';
ALTER TABLE mcp_servers DROP CONSTRAINT mcp_servers_user_id_name_key;
ALTER TABLE mcp_servers ADD CONSTRAINT mcp_servers_user_id_name_key UNIQUE NULLS NOT DISTINCT (user_id, name, project_id);
CREATE INDEX mcp_servers_of_project ON mcp_servers (project_id) WHERE project_id IS NOT NULL;

-- +goose Down
DELETE FROM mcp_servers WHERE project_id IS NOT NULL;
DROP INDEX mcp_servers_of_project;
ALTER TABLE mcp_servers DROP CONSTRAINT mcp_servers_user_id_name_key;
ALTER TABLE mcp_servers DROP COLUMN project_id;
ALTER TABLE mcp_servers ADD CONSTRAINT mcp_servers_user_id_name_key UNIQUE NULLS NOT DISTINCT (user_id, name);
DROP TABLE mcp_projects;
