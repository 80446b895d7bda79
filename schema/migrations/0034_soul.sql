-- +goose Up
CREATE TABLE user_profiles (
    user_id    bigint      PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    content    text        NOT NULL CHECK (char_length(content) <= 2000),
    timezone   text        NOT NULL DEFAULT '',
    revision   int         NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE user_profiles IS 'What people say of themselves, for the prompts of their own conversations. Written by them: /profile, the page, the API. revision counts changes, so that an edit which has not seen the one before is refused.';
COMMENT ON COLUMN user_profiles.timezone IS 'IANA name; empty: not said.';

CREATE TABLE soul_files (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    agent      text        NOT NULL CHECK (agent <> ''),
    name       text        NOT NULL CHECK (name <> ''),
    content    text        NOT NULL CHECK (content <> '' AND octet_length(content) <= 20000),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, agent, name)
);
COMMENT ON TABLE soul_files IS 'Notes about the character of an agent toward one person or group: *.md and *.json. Written by people and by the soul tools, where the policy gives them; at most 50 for each agent and user.';

-- +goose Down
DROP TABLE soul_files, user_profiles;
