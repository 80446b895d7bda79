-- +goose Up
ALTER TABLE tool_permissions ADD COLUMN pin text NOT NULL DEFAULT '';
COMMENT ON COLUMN tool_permissions.pin IS 'Of a rule that allows a tool of an MCP server: parts of SHA-256 of its address, description, arguments and annotations as they were when it was allowed, or at its first call after that was kept. The rule asks where the tool is another one. Empty: it was not called since, or is no tool of a server.';
ALTER TABLE mcp_servers ADD COLUMN trusted boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN mcp_servers.trusted IS 'Whether an administrator believes what the server says of the effects of its tools: those that say that they only read count as such. Of servers of the installation alone.';
ALTER TABLE mcp_servers ADD CONSTRAINT mcp_servers_trusted CHECK (NOT trusted OR user_id IS NULL);
DROP TRIGGER note_change ON mcp_servers;
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON mcp_servers
    FOR EACH ROW EXECUTE FUNCTION note_change('mcp', 'user_id', 'name', 'transport command args url env_names header_names account instructions trusted enabled', 'secrets', 'changed_by');

CREATE OR REPLACE VIEW session_permits AS
SELECT s.key AS session_key, jsonb_build_object(
    'admin', u.role = 'admin' AND u.kind = 'person',
    'outside', u.kind IN ('service', 'consumer'),
    'here', coalesce(nullif(top.preset, ''), s.preset),
    'own', coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'preset'), ''),
    'cwd', CASE WHEN s.cwd_runner = '' OR s.cwd_runner = coalesce(
        nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), s.cwd_runner) THEN s.cwd ELSE '' END,
    'at', (SELECT p.place FROM session_places p WHERE p.session_key = s.key),
    'planning', EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running' AND t.plan = 'wanted'),
    'rules', coalesce((
        SELECT jsonb_agg(jsonb_build_object('tool', p.tool, 'pattern', p.pattern, 'rule', p.rule, 'pin', p.pin) ORDER BY p.tool, p.pattern)
        FROM tool_permissions p WHERE p.user_id = u.id
    ), '[]')) AS permits
FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions top ON top.key = s.root;

-- +goose Down
CREATE OR REPLACE VIEW session_permits AS
SELECT s.key AS session_key, jsonb_build_object(
    'admin', u.role = 'admin' AND u.kind = 'person',
    'outside', u.kind IN ('service', 'consumer'),
    'here', coalesce(nullif(top.preset, ''), s.preset),
    'own', coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'preset'), ''),
    'cwd', CASE WHEN s.cwd_runner = '' OR s.cwd_runner = coalesce(
        nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), s.cwd_runner) THEN s.cwd ELSE '' END,
    'at', (SELECT p.place FROM session_places p WHERE p.session_key = s.key),
    'planning', EXISTS (SELECT 1 FROM turns t WHERE t.session_key = s.key AND t.state = 'running' AND t.plan = 'wanted'),
    'rules', coalesce((
        SELECT jsonb_agg(jsonb_build_object('tool', p.tool, 'pattern', p.pattern, 'rule', p.rule) ORDER BY p.tool, p.pattern)
        FROM tool_permissions p WHERE p.user_id = u.id
    ), '[]')) AS permits
FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN sessions top ON top.key = s.root;
DROP TRIGGER note_change ON mcp_servers;
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON mcp_servers
    FOR EACH ROW EXECUTE FUNCTION note_change('mcp', 'user_id', 'name', 'transport command args url env_names header_names account instructions enabled', 'secrets', 'changed_by');
ALTER TABLE mcp_servers DROP COLUMN trusted;
ALTER TABLE tool_permissions DROP COLUMN pin;
