-- +goose Up
CREATE TABLE agent_roles (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id  bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    key      text   NOT NULL CHECK (key <> ''),
    revision bigint NOT NULL DEFAULT 1,
    UNIQUE (user_id, key)
);
COMMENT ON TABLE agent_roles IS 'Roles of subagents that people keep in xbot, beside the files of roles. Written by /api/roles.';
COMMENT ON COLUMN agent_roles.key IS 'The name in small letters.';
COMMENT ON COLUMN agent_roles.revision IS 'The version in force, of agent_role_versions.';

CREATE TABLE agent_role_versions (
    role_id    bigint      NOT NULL REFERENCES agent_roles ON DELETE CASCADE,
    revision   bigint      NOT NULL,
    body       jsonb       NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    PRIMARY KEY (role_id, revision)
);
COMMENT ON TABLE agent_role_versions IS 'What a role was after each change, with who and when; the oldest beyond a hundred go. Written with agent_roles.';

CREATE TABLE agent_role_switches (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    key        text        NOT NULL CHECK (key <> ''),
    enabled    boolean     NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    PRIMARY KEY (user_id, key)
);
COMMENT ON TABLE agent_role_switches IS 'Whether a person has a role of the program or the installation, by its name in small letters; no row: they have it. Written by /api/roles.';

CREATE TABLE prompt_versions (
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    section    text        NOT NULL CHECK (section <> ''),
    version    int         NOT NULL CHECK (version > 0),
    content    text        NOT NULL,
    beside     boolean     NOT NULL,
    label      text        NOT NULL,
    note       text        NOT NULL DEFAULT '',
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    PRIMARY KEY (user_id, section, version)
);
COMMENT ON TABLE prompt_versions IS 'What people wrote in place of sections of the system prompt, by section; the newest version is in force. Written by /api/prompts.';
COMMENT ON COLUMN prompt_versions.section IS 'system: the beginning; else the key of a capability.';
COMMENT ON COLUMN prompt_versions.content IS 'Empty: the installation''s text, from then on.';
COMMENT ON COLUMN prompt_versions.beside IS 'It stands behind the installation''s text, rather than in its place.';

-- +goose Down
DROP TABLE prompt_versions, agent_role_switches, agent_role_versions, agent_roles;
