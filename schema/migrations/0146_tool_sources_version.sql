-- +goose Up
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
-- Deferred, so that the row of the version is the last that a transaction locks.
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER INSERT OR UPDATE OR DELETE ON mcp_servers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER INSERT OR UPDATE OR DELETE ON mcp_projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER INSERT OR UPDATE OR DELETE ON oauth_providers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER INSERT OR UPDATE OR DELETE ON tool_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();
-- mcp_projects are read with the role of their user, and tool_keys by the administrator of a service.
CREATE CONSTRAINT TRIGGER count_tool_source_change AFTER UPDATE OF role, owner_id ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_tool_source_change();

-- +goose Down
DROP TRIGGER count_tool_source_change ON users;
DROP TRIGGER count_tool_source_change ON tool_keys;
DROP TRIGGER count_tool_source_change ON oauth_providers;
DROP TRIGGER count_tool_source_change ON mcp_projects;
DROP TRIGGER count_tool_source_change ON mcp_servers;
DROP FUNCTION count_tool_source_change;
DROP TABLE tool_sources_version;
