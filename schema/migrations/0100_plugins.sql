-- +goose Up
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
    changed_by   bigint      REFERENCES users ON DELETE SET NULL
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
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON plugins
    FOR EACH ROW EXECUTE FUNCTION note_change('plugin', '', 'id', 'version digest permissions enabled', 'secrets', 'changed_by');
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, plugin, channel, access, person, invite, deletion, schedule, trigger, role.';

-- +goose Down
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role.';
DROP TABLE plugins;
DROP SEQUENCE plugin_revisions;
