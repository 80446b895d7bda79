-- +goose Up
-- Voice mode: connections to realtime services, spoken messages and the responses to them.

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
COMMENT ON TABLE realtime_sessions IS 'One row per connection of a conversation to a realtime service. Written by ingress/realtimeproxy, which renews seen_at; a row with an old seen_at belongs to a killed server. Counted against the limits of the user.';

CREATE TABLE realtime_exchanges (
    id          text        PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    transcript  text        NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz
);
CREATE INDEX realtime_exchanges_open ON realtime_exchanges (session_key) WHERE ended_at IS NULL;
COMMENT ON TABLE realtime_exchanges IS 'One row per spoken message, whose client message id is the id. Written by ingress/realtimeproxy before it accepts the message. ended_at: the realtime service answers no further steps of its turn; the generate activity sets it if seen_at is old.';

CREATE TABLE realtime_responses (
    exchange_id text        NOT NULL REFERENCES realtime_exchanges ON DELETE CASCADE,
    step        int         NOT NULL,
    answer      jsonb       NOT NULL,
    heard_at    timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (exchange_id, step)
);
COMMENT ON TABLE realtime_responses IS 'The realtime.Answer of the realtime service in a step of the turn. Written by ingress/realtimeproxy, committed to the conversation by the generate activity after heard_at: until then an interruption cuts the text to the part that was heard.';

-- +goose Down
DROP TABLE realtime_responses, realtime_exchanges, realtime_sessions;
