-- +goose Up
CREATE TABLE llm_subscriptions (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint      REFERENCES users ON DELETE CASCADE,
    name       text        NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,31}$'),
    provider   text        NOT NULL CHECK (provider IN ('openai', 'anthropic')),
    api_type   text        NOT NULL DEFAULT 'chat_completions' CHECK (api_type IN ('chat_completions', 'responses')),
    base_url   text        NOT NULL DEFAULT '',
    secrets    bytea,
    key_hint   text        NOT NULL DEFAULT '',
    models     jsonb       NOT NULL DEFAULT '[]',
    enabled    boolean     NOT NULL DEFAULT true,
    revision   bigint      NOT NULL DEFAULT 1,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    UNIQUE NULLS NOT DISTINCT (user_id, name)
);
COMMENT ON TABLE llm_subscriptions IS 'Accounts at providers of models, with the models that may be chosen. Written by /api/subscriptions and by commands.';
COMMENT ON COLUMN llm_subscriptions.user_id IS 'Whose it is; null: the installation''s, for everybody.';
COMMENT ON COLUMN llm_subscriptions.secrets IS 'The key, sealed with the installation''s; null: the provider needs none.';
COMMENT ON COLUMN llm_subscriptions.key_hint IS 'The end of the key, by which people know it again.';

CREATE TABLE llm_subscriptions_version (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint  NOT NULL
);
COMMENT ON TABLE llm_subscriptions_version IS 'One row, which counts the changes of llm_subscriptions: processes keep what they read until it differs. Written in the transaction of each change.';
INSERT INTO llm_subscriptions_version (version) VALUES (1);

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
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source, language, model, and a model for each tier. Written by /api/runners, /api/models and by commands.';

-- +goose Down
CREATE OR REPLACE VIEW session_tenants AS
SELECT s.key AS session_key, s.user_id, s.chat_type = 'subagent' AS subagent,
       s.model = '' AND NOT EXISTS (SELECT 1 FROM user_settings c WHERE c.user_id = s.user_id AND c.key = 'llm_source' AND c.value = 'server')
       AND EXISTS (
           SELECT 1 FROM runners r
           WHERE r.user_id = s.user_id AND r.revoked_at IS NULL AND r.info -> 'llm' IS NOT NULL AND r.name NOT IN ('local', '__docker__')
             AND r.name = coalesce(nullif(s.runner, ''), (SELECT a.value FROM user_settings a WHERE a.user_id = s.user_id AND a.key = 'active_runner'), '')
       ) AS own
FROM sessions s;
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source, language. Written by /api/runners and by commands.';
DROP TABLE llm_subscriptions_version, llm_subscriptions;
