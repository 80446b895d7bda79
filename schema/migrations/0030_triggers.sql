-- +goose Up
CREATE TABLE triggers (
    id          text        PRIMARY KEY,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    name        text        NOT NULL,
    source      text        NOT NULL CHECK (source IN ('github', 'gitlab', 'generic')),
    secret      bytea       NOT NULL,
    session_key text        NOT NULL,
    answer_in   text        NOT NULL DEFAULT '',
    template    text        NOT NULL DEFAULT '',
    one_shot    boolean     NOT NULL DEFAULT false,
    per_minute  int         NOT NULL CHECK (per_minute BETWEEN 1 AND 600),
    enabled     boolean     NOT NULL DEFAULT true,
    made_by     text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    fired_at    timestamptz,
    refused_at  timestamptz,
    refused     text        NOT NULL DEFAULT '',
    UNIQUE (user_id, name)
);
COMMENT ON TABLE triggers IS 'Addresses under /hooks/ at which other programs call a conversation. Written by their owner (page, API, /trigger, the tool EventTrigger) and by calls.';
COMMENT ON COLUMN triggers.secret IS 'What calls are signed with, encrypted with the key of the installation: it is needed to verify them.';
COMMENT ON COLUMN triggers.session_key IS 'The conversation that is called: hook:<id>, which a call makes, or one of the owner''s, which has to be there.';
COMMENT ON COLUMN triggers.answer_in IS 'Session of the owner at whose place on a platform answers are delivered; empty: where the called conversation takes place.';
COMMENT ON COLUMN triggers.made_by IS 'What asked for it (a call of a tool, a command), so that a repeated one makes no second; empty: a person.';
COMMENT ON COLUMN triggers.refused IS 'Why a call was refused last, for the owner; at most one is noted in a second.';

CREATE TABLE trigger_deliveries (
    trigger_id  text        NOT NULL REFERENCES triggers ON DELETE CASCADE,
    key         text        NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    event       text        NOT NULL DEFAULT '',
    bytes       int         NOT NULL,
    note        text        NOT NULL DEFAULT '',
    inbox_id    bigint      NOT NULL,
    repeats     int         NOT NULL DEFAULT 0,
    PRIMARY KEY (trigger_id, key)
);
CREATE INDEX trigger_deliveries_newest ON trigger_deliveries (trigger_id, received_at DESC);
COMMENT ON TABLE trigger_deliveries IS 'Calls that were accepted, each in the transaction of its inbox row. They are kept as long as their trigger, since the same key must be known again at any distance in time.';
COMMENT ON COLUMN trigger_deliveries.key IS 'The id that the sender gave the delivery, or a hash of what it sent.';
COMMENT ON COLUMN trigger_deliveries.inbox_id IS 'The row that told the conversation; it may be gone with it.';

-- +goose Down
DROP TABLE trigger_deliveries, triggers;
