-- +goose Up
ALTER TABLE mcp_projects ADD COLUMN texts text NOT NULL DEFAULT '';
COMMENT ON COLUMN mcp_projects.texts IS 'SHA-256 of the names of the skills and the files with instructions that the folder brings, which its digest leaves out; empty: none.';
COMMENT ON TABLE mcp_projects IS 'Folders in which a conversation of a person has worked and that bring hooks, MCP servers or skills, and whether the person has agreed to it. What was seen is written by the processes that look at the folder, the word of the person by /api/mcp-projects alone.';
COMMENT ON COLUMN mcp_projects.digest IS 'SHA-256 of what xbot would run or call of the folder as it was seen last (hooks files, the programs of the folder that they name, .mcp.json; of .mcp.json alone where there are no hooks), hexadecimal; empty: it cannot be used.';
COMMENT ON COLUMN mcp_projects.secrets IS 'What the folder brings as it was seen last, sealed with the installation''s key, since it may hold tokens; null: it cannot be used.';
COMMENT ON COLUMN mcp_projects.agreed IS 'Digest of what the person has agreed to, whose servers are rows of mcp_servers; empty: nothing. It is used where it is the digest of what was seen last.';

-- +goose Down
ALTER TABLE mcp_projects DROP COLUMN texts;
