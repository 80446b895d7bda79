-- +goose Up
CREATE TABLE prompts (
    hash       bytea       PRIMARY KEY,
    body       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE prompts IS 'System prompts with their tool schemas by SHA-256: what the model really saw. Written by the generate activity.';

CREATE TABLE steps (
    turn_id      text        NOT NULL REFERENCES turns ON DELETE CASCADE,
    step         int         NOT NULL,
    state        text        NOT NULL CHECK (state IN ('open', 'done')),
    failures     int         NOT NULL DEFAULT 0,
    finish       text        NOT NULL DEFAULT '',
    fault        text        NOT NULL DEFAULT '',
    prompt_hash  bytea       REFERENCES prompts,
    started_at   timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz,
    PRIMARY KEY (turn_id, step)
);
COMMENT ON TABLE steps IS 'One row an LLM call. Written by the generate activity: failures counts provider failures (not crashes), state done holds the decision, which a repeated attempt returns instead of calling the model again.';

CREATE TABLE messages (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key       text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    turn_id           text        REFERENCES turns ON DELETE CASCADE,
    step              int,
    role              text        NOT NULL CHECK (role IN ('user', 'assistant', 'notice')),
    content           text        NOT NULL,
    preface           text        NOT NULL DEFAULT '',
    reasoning         text        NOT NULL DEFAULT '',
    opaque            bytea,
    display_only      boolean     NOT NULL DEFAULT false,
    inbox_id          bigint      UNIQUE,
    client_message_id text        NOT NULL DEFAULT '',
    model             text        NOT NULL DEFAULT '',
    finish            text        NOT NULL DEFAULT '',
    prompt_tokens     int         NOT NULL DEFAULT 0,
    cached_tokens     int         NOT NULL DEFAULT 0,
    completion_tokens int         NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX messages_by_session ON messages (session_key, id);
CREATE UNIQUE INDEX messages_one_answer_a_step ON messages (turn_id, step) WHERE role = 'assistant';
COMMENT ON TABLE messages IS 'The transcript, append-only. User rows by the claim, assistant rows by the generate activity, notices by whoever must tell the person something. preface is what the model reads before a user message (time and folder at the claim, fixed so that prompts stay cacheable). opaque is what a provider wants back (signed thinking blocks). Tool results are in tool_calls.';

CREATE TABLE tool_calls (
    id          text        PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    turn_id     text        NOT NULL REFERENCES turns ON DELETE CASCADE,
    step        int         NOT NULL,
    n           int         NOT NULL,
    message_id  bigint      NOT NULL REFERENCES messages ON DELETE CASCADE,
    provider_id text        NOT NULL DEFAULT '',
    name        text        NOT NULL,
    class       text        NOT NULL CHECK (class IN ('read', 'idempotent', 'exec', 'once')),
    arguments   text        NOT NULL,
    summary     text        NOT NULL DEFAULT '',
    state       text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'running', 'done')),
    runner      text        NOT NULL DEFAULT '',
    started_on  text        NOT NULL DEFAULT '',
    intent      text        NOT NULL DEFAULT '',
    started_at  timestamptz,
    result      text        NOT NULL DEFAULT '',
    is_error    boolean     NOT NULL DEFAULT false,
    finished_at timestamptz,
    UNIQUE (turn_id, step, n)
);
CREATE INDEX tool_calls_by_message ON tool_calls (message_id);
COMMENT ON TABLE tool_calls IS 'Calls an assistant message asked for, each with its one result. Inserted with the message by the generate activity; the tool activity writes runner when it begins, started_on (the job store of the runner) before a command is first sent, and the result, first writer wins; intent is what a call noted before it acted, so that a repeated attempt can tell done from not done. A call and its result are one row, so no transcript can hold one without the other.';

CREATE TABLE todos (
    session_key text        PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    items       jsonb       NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE todos IS 'The to-do list of a session, overwritten whole by the todo_write tool.';

CREATE TABLE feed_events (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    seq         bigint      NOT NULL,
    kind        text        NOT NULL,
    data        jsonb       NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, seq)
);
COMMENT ON TABLE feed_events IS 'Durable events to people, in the order of seq, written in the transaction that made them true. Read by the event streams after a cursor.';

-- +goose Down
DROP TABLE feed_events, todos, tool_calls, messages, steps, prompts;
