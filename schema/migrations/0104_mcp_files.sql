-- +goose Up
ALTER TABLE mcp_servers ADD COLUMN from_file boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN mcp_servers.from_file IS 'It stands in mcp.json of the server''s data folder. Written by the process that reads the file, and by nobody else.';
COMMENT ON TABLE mcp_servers IS 'Servers of tools that speak the Model Context Protocol. What they are is written by /api/mcp-servers, by the tool ManageTools, and for those of mcp.json by the processes that read it; what they offer and what failed (listed_at to problem_at) by each process that connects to one.';

-- +goose Down
DELETE FROM mcp_servers WHERE from_file;
ALTER TABLE mcp_servers DROP COLUMN from_file;
COMMENT ON TABLE mcp_servers IS 'Servers of tools that speak the Model Context Protocol. What they are is written by /api/mcp-servers and by the tool ManageTools; what they offer and what failed (listed_at to problem_at) by each process that connects to one.';
