-- +goose Up
-- Spoken conversations: the connections to realtime services, the exchanges that people spoke, and the responses to them.

CREATE TABLE realtime_sessions (
    id          text        PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    model       text        NOT NULL DEFAULT '',
    started_at  timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz
);
CREATE UNIQUE INDEX realtime_sessions_one_open ON realtime_sessions (session_key) WHERE ended_at IS NULL;
CREATE INDEX realtime_sessions_of_user ON realtime_sessions (user_id, started_at);
COMMENT ON TABLE realtime_sessions IS 'One row a connection of a conversation to a realtime service. Written by ingress/realtime, which renews seen_at; a row whose seen_at is old belongs to a server that was killed. Counted against the limits of the user.';

CREATE TABLE realtime_exchanges (
    id          text        PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    said        text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz
);
CREATE INDEX realtime_exchanges_open ON realtime_exchanges (session_key) WHERE ended_at IS NULL;
COMMENT ON TABLE realtime_exchanges IS 'One row a spoken message, whose client message id is the id. Written by ingress/realtime before it accepts the message. ended_at: the realtime service answers no more steps of its turn; the generate activity sets it where seen_at is old.';

CREATE TABLE realtime_responses (
    exchange_id text        NOT NULL REFERENCES realtime_exchanges ON DELETE CASCADE,
    step        int         NOT NULL,
    answer      jsonb       NOT NULL,
    heard_at    timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (exchange_id, step)
);
COMMENT ON TABLE realtime_responses IS 'realtime.Answer: what the realtime service answered in a step of the turn. Written by ingress/realtime, committed to the transcript by the generate activity once heard_at has passed: until then an interruption shortens the text to what was heard.';

-- +goose Down
DROP TABLE realtime_responses, realtime_exchanges, realtime_sessions;
