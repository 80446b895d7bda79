-- +goose Up
-- Sandboxes: runners, commands, and the environment of agents.

CREATE TABLE runners (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    name       text        NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,127}$' OR name = '__docker__'),
    token_hash bytea       NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    info       jsonb,
    seen_at    timestamptz,
    UNIQUE (user_id, name)
);
COMMENT ON TABLE runners IS 'Runners and the SHA-256 of their tokens. The one named local is written by xbot serve; those named __docker__, the containers of the server, by the ingress that starts them.';
COMMENT ON COLUMN runners.info IS 'What the runner said of itself when it last connected (wire.Info). Written by the ingress that took the connection.';
COMMENT ON COLUMN runners.seen_at IS 'Last time an ingress held a connection made with this token; renewed every 15 s while it does.';
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF token_hash, revoked_at, name ON runners
    FOR EACH ROW WHEN (NEW.name NOT IN ('local', '__docker__')) EXECUTE FUNCTION note_change('runner', 'user_id', 'name', 'name revoked_at', 'token_hash', '');

CREATE TABLE connections (
    name         text        PRIMARY KEY,
    holder       text        NOT NULL,
    epoch        bigint      NOT NULL DEFAULT 1,
    connected    boolean     NOT NULL DEFAULT true,
    connected_at timestamptz NOT NULL DEFAULT now(),
    seen_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE connections IS 'Which ingress holds the socket of a runner: its internal address, and an epoch that grows with each connection. The newest wins. Written by the ingress that holds it.';
COMMENT ON COLUMN connections.seen_at IS 'When its holder last said that it stands, every 15 s. A holder that was killed says nothing: after 45 s the connection counts as ended.';

CREATE TABLE runner_confinement (
    runner     text        PRIMARY KEY CHECK (runner = 'local'),
    confine    text        NOT NULL CHECK (confine IN ('auto', 'off')),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE runner_confinement IS 'Whether commands of the server''s own runner run in a sandbox, where XBOT_CONFINE does not say it. Written by PUT /api/runners/local/sandbox; without a row it is auto.';
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF confine ON runner_confinement
    FOR EACH ROW EXECUTE FUNCTION note_change('sandbox', '', 'runner', 'confine', '', 'changed_by');

CREATE TABLE commands (
    inbox_id   bigint PRIMARY KEY REFERENCES inbox ON DELETE CASCADE,
    command    text   NOT NULL,
    dir        text   NOT NULL,
    dir_runner text   NOT NULL,
    runner     text   NOT NULL,
    started_on text   NOT NULL DEFAULT ''
);
COMMENT ON TABLE commands IS 'Bang commands: what a person runs beside the conversation, one row for an inbox row of kind command. Inserted at acceptance; the Command workflow writes the runner it was resolved to and started_on before the command is first sent, and ends the inbox row with the notice that answers it.';

CREATE TABLE background_tasks (
    call_id       text        PRIMARY KEY REFERENCES tool_calls ON DELETE CASCADE,
    session_key   text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id       bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    n             int         NOT NULL CHECK (n > 0),
    command       text        NOT NULL,
    dir           text        NOT NULL,
    runner        text        NOT NULL,
    started_on    text        NOT NULL,
    state         text        NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'exited', 'killed', 'timed_out', 'lost')),
    code          int         NOT NULL DEFAULT 0,
    total         bigint      NOT NULL DEFAULT 0,
    output        text        NOT NULL DEFAULT '',
    started_at    timestamptz NOT NULL,
    ended_at      timestamptz,
    kill_asked_at timestamptz,
    checked_at    timestamptz NOT NULL DEFAULT now(),
    UNIQUE (session_key, n)
);
CREATE INDEX background_tasks_running ON background_tasks (checked_at) WHERE state = 'running';
COMMENT ON TABLE background_tasks IS 'Commands that outlived their budget in the foreground. Inserted with the result of the call that started the command, in one transaction: the row is the promise that its end will be seen, and the relay starts the Background workflow of a running row that has none. The end is written once, by that workflow, with the inbox row that tells the session. kill_asked_at is set by whoever wants it killed and delivered by the workflow when the runner can be reached. output is the head and the tail, at most 50 kB.';

CREATE TABLE kills (
    call_id  text        PRIMARY KEY,
    runner   text        NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    sent_at  timestamptz
);
CREATE INDEX kills_open ON kills (runner) WHERE sent_at IS NULL;
COMMENT ON TABLE kills IS 'Commands that are to be killed, by call and by the id of the runner. Written before the first try by whoever wants the kill; sent_at by whoever reached the runner: that process, or the ingress that holds the runner''s socket. Rows of which nothing more can come are removed after eight days.';

CREATE TABLE agent_secrets (
    id       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent    text        NOT NULL CHECK (agent <> '' AND length(agent) <= 64),
    name     text        NOT NULL CHECK (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,63}$'),
    sealed   bytea       NOT NULL,
    revision bigint      NOT NULL DEFAULT 1,
    set_at   timestamptz NOT NULL DEFAULT now(),
    UNIQUE (agent, name)
);
COMMENT ON TABLE agent_secrets IS 'Secret variables of the commands of agents. Written by operators, with xbot env.';
COMMENT ON COLUMN agent_secrets.agent IS 'The id of the agent in the policy.';
COMMENT ON COLUMN agent_secrets.sealed IS 'Agent, name and value, as JSON, sealed with the installation''s key.';
COMMENT ON COLUMN agent_secrets.revision IS 'Counts values, and not how often one is sealed anew.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON agent_secrets
    FOR EACH ROW EXECUTE FUNCTION note_change('variable', '', 'agent name', '', 'sealed', '');

-- +goose Down
DROP TABLE agent_secrets, kills, background_tasks, commands, runner_confinement, connections, runners;
