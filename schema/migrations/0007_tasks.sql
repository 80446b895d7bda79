-- +goose Up
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

ALTER TABLE tool_calls ADD COLUMN task text NOT NULL DEFAULT '';
COMMENT ON COLUMN tool_calls.task IS 'Short id of the background task that the call''s command became; written with the result.';

CREATE TABLE commands (
    inbox_id   bigint      PRIMARY KEY REFERENCES inbox ON DELETE CASCADE,
    command    text        NOT NULL,
    dir        text        NOT NULL,
    dir_runner text        NOT NULL,
    runner     text        NOT NULL,
    started_on text        NOT NULL DEFAULT ''
);
COMMENT ON TABLE commands IS 'Bang commands: what a person runs beside the conversation, one row for an inbox row of kind command. Inserted at acceptance; the Command workflow writes the runner it was resolved to and started_on before the command is first sent, and ends the inbox row with the notice that answers it.';
CREATE INDEX inbox_commands ON inbox (woken_at) WHERE outcome IS NULL AND kind = 'command';

-- +goose Down
DROP INDEX inbox_commands;
DROP TABLE commands;
ALTER TABLE tool_calls DROP COLUMN task;
DROP TABLE background_tasks;
