-- +goose Up
ALTER TABLE users DROP CONSTRAINT users_kind_check;
ALTER TABLE users ADD CONSTRAINT users_kind_check CHECK (kind IN ('person', 'group', 'service', 'consumer'));
ALTER TABLE users ADD COLUMN owner_id bigint REFERENCES users;
CREATE INDEX users_by_owner ON users (owner_id) WHERE owner_id IS NOT NULL;
ALTER TABLE users ADD CONSTRAINT users_owner_check CHECK ((owner_id IS NOT NULL) = (kind IN ('service', 'consumer')));
COMMENT ON COLUMN users.kind IS 'group: a group, channel or thread of a platform. Its conversations belong to it and not to whoever writes there, so that rights, runners and memory of a person never reach a group. service: an agent that an administrator has published. consumer: one conversation of somebody outside with a service, so that nothing of one conversation reaches another one.';
COMMENT ON COLUMN users.owner_id IS 'Of a service the administrator, of a consumer the service. It is deleted after those that belong to it.';

CREATE TABLE services (
    id         text        PRIMARY KEY CHECK (id ~ '^svc_[0-9a-f]{8}$'),
    user_id    bigint      NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
    admin_id   bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    name       text        NOT NULL CHECK (name <> ''),
    published  boolean     NOT NULL DEFAULT true,
    definition jsonb       NOT NULL,
    revision   bigint      NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);
CREATE INDEX services_by_admin ON services (admin_id);
COMMENT ON TABLE services IS 'Agents that administrators have published to people and programs outside. Written by /api/services.';
COMMENT ON COLUMN services.user_id IS 'Its own user, whose limits its consumers share.';
COMMENT ON COLUMN services.admin_id IS 'Whose models, keys, documents and scripts it works with.';
COMMENT ON COLUMN services.definition IS 'Everything else that its administrator chose, as internal/service reads it.';
COMMENT ON COLUMN services.deleted_at IS 'It is being deleted with its conversations: nobody finds it any more.';

CREATE TABLE services_version (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint  NOT NULL
);
COMMENT ON TABLE services_version IS 'One row, which counts the changes of services: processes keep what they read until it differs. Written in the transaction of each change.';
INSERT INTO services_version (version) VALUES (1);

-- +goose StatementBegin
CREATE FUNCTION count_service_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE services_version SET version = version + 1;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER count_change AFTER INSERT OR UPDATE OR DELETE ON services
    FOR EACH STATEMENT EXECUTE FUNCTION count_service_change();

CREATE TABLE service_keys (
    id           text        PRIMARY KEY CHECK (id ~ '^key_[0-9a-f]{6}$'),
    service_id   text        NOT NULL REFERENCES services ON DELETE CASCADE,
    name         text        NOT NULL,
    prefix       text        NOT NULL,
    hash         bytea       NOT NULL UNIQUE,
    revision     bigint      NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX service_keys_by_service ON service_keys (service_id, created_at);
COMMENT ON TABLE service_keys IS 'Keys by which programs and people outside use a service. Written by /api/services; last_used_at by the consumers'' API, at most once a minute.';
COMMENT ON COLUMN service_keys.hash IS 'SHA-256 of the key, which is kept nowhere.';
COMMENT ON COLUMN service_keys.prefix IS 'The beginning of the key, by which people know it again.';
COMMENT ON COLUMN service_keys.revision IS 'Counts the secrets that the key has had.';

CREATE TABLE service_conversations (
    session_key text        PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    id          text        NOT NULL UNIQUE CHECK (id ~ '^[0-9a-f]{10}$'),
    service_id  text        NOT NULL REFERENCES services ON DELETE CASCADE,
    key_id      text        NOT NULL REFERENCES service_keys ON DELETE CASCADE,
    user_id     bigint      NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
    source      text        NOT NULL CHECK (source IN ('api', 'web', 'wechat')),
    external    text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX service_conversations_by_external ON service_conversations (key_id, external) WHERE external <> '';
CREATE INDEX service_conversations_by_service ON service_conversations (service_id, created_at DESC);
COMMENT ON TABLE service_conversations IS 'Conversations of consumers with services. Inserted with their session and their user, in one transaction; deleted with their user. Who has another key than the one that a conversation was begun with does not find it.';
COMMENT ON COLUMN service_conversations.external IS 'What the program calls its user, where it does: each has one conversation.';

CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision, deleted_at ON services
    FOR EACH ROW EXECUTE FUNCTION note_change('service', '', 'id', 'name published definition deleted_at', '', '');
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision, revoked_at ON service_keys
    FOR EACH ROW EXECUTE FUNCTION note_change('service_key', '', 'service_id id', 'name prefix revoked_at', 'hash', '');
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role, variable, service, service_key.';

CREATE OR REPLACE VIEW session_tenants AS
SELECT s.key AS session_key, coalesce(tenant.id, s.user_id)::bigint AS user_id, s.chat_type = 'subagent' AS subagent,
       EXISTS (
           SELECT 1 FROM llm_subscriptions o
           WHERE o.user_id = s.user_id AND o.enabled AND o.name = split_part(
               coalesce(nullif(s.model, ''), (SELECT m.value FROM user_settings m WHERE m.user_id = s.user_id AND m.key = 'model'), ''), '/', 1)
       ) OR
       s.model = '' AND NOT EXISTS (SELECT 1 FROM user_settings c WHERE c.user_id = s.user_id AND c.key = 'llm_source' AND c.value = 'server')
       AND EXISTS (
           SELECT 1 FROM runners r
           WHERE r.user_id = s.user_id AND r.revoked_at IS NULL AND r.info -> 'llm' IS NOT NULL AND r.name NOT IN ('local', '__docker__')
             AND r.name = coalesce(nullif(s.runner, ''), (SELECT a.value FROM user_settings a WHERE a.user_id = s.user_id AND a.key = 'active_runner'), '')
       ) AS own
FROM sessions s
LEFT JOIN LATERAL (SELECT u.owner_id AS id FROM users u WHERE u.id = s.user_id AND u.kind = 'consumer') tenant ON true;
COMMENT ON VIEW session_tenants IS 'Whose limits hold for a conversation, for those of consumers the service''s, and whether it is answered by a model of its user''s own.';

-- +goose StatementBegin
CREATE FUNCTION admin_of(id bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((
        SELECT s.owner_id FROM users c JOIN users s ON s.id = CASE c.kind WHEN 'consumer' THEN c.owner_id ELSE c.id END
        WHERE c.id = $1 AND c.kind IN ('service', 'consumer') AND s.kind = 'service'
    ), $1)
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION admin_of IS 'Whose models, keys and runners work for a user: for a consumer and for a service the service''s administrator, for everybody else themselves.';

-- +goose Down
DROP FUNCTION admin_of;
CREATE OR REPLACE VIEW session_tenants AS
SELECT s.key AS session_key, s.user_id, s.chat_type = 'subagent' AS subagent,
       EXISTS (
           SELECT 1 FROM llm_subscriptions o
           WHERE o.user_id = s.user_id AND o.enabled AND o.name = split_part(
               coalesce(nullif(s.model, ''), (SELECT m.value FROM user_settings m WHERE m.user_id = s.user_id AND m.key = 'model'), ''), '/', 1)
       ) OR
       s.model = '' AND NOT EXISTS (SELECT 1 FROM user_settings c WHERE c.user_id = s.user_id AND c.key = 'llm_source' AND c.value = 'server')
       AND EXISTS (
           SELECT 1 FROM runners r
           WHERE r.user_id = s.user_id AND r.revoked_at IS NULL AND r.info -> 'llm' IS NOT NULL AND r.name NOT IN ('local', '__docker__')
             AND r.name = coalesce(nullif(s.runner, ''), (SELECT a.value FROM user_settings a WHERE a.user_id = s.user_id AND a.key = 'active_runner'), '')
       ) AS own
FROM sessions s;
DROP TABLE service_conversations, service_keys, services_version, services;
DROP FUNCTION count_service_change;
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role, variable.';
DELETE FROM users WHERE kind = 'consumer';
DELETE FROM users WHERE kind = 'service';
ALTER TABLE users DROP COLUMN owner_id;
ALTER TABLE users DROP CONSTRAINT users_kind_check;
ALTER TABLE users ADD CONSTRAINT users_kind_check CHECK (kind IN ('person', 'group'));
COMMENT ON COLUMN users.kind IS 'group: a group, channel or thread of a platform. Its conversations belong to it and not to whoever writes there, so that rights, runners and memory of a person never reach a group.';
