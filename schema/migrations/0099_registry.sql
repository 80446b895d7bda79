-- +goose Up
CREATE TABLE registry_entries (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF visibility, withdrawn, newest ON registry_entries
    FOR EACH ROW EXECUTE FUNCTION note_change('published', 'user_id', 'kind key', 'visibility withdrawn newest', '', 'changed_by');
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role, install, published.';

-- +goose Down
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role.';
DROP TABLE registry_installs, registry_versions, registry_entries;
