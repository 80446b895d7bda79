-- +goose Up
CREATE TABLE channel_accounts (
    channel    text        NOT NULL CHECK (channel <> ''),
    account    text        NOT NULL DEFAULT '',
    enabled    boolean     NOT NULL DEFAULT true,
    settings   jsonb       NOT NULL DEFAULT '{}',
    secrets    bytea,
    revision   bigint      NOT NULL DEFAULT 1,
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (channel, account)
);
COMMENT ON TABLE channel_accounts IS 'Bots on platforms: what they are configured with. Written by the settings, or at start from the environment; read by every process within a second. What is written to a person on a channel without a row here is delivered by nobody (a bridge reads the events).';
COMMENT ON COLUMN channel_accounts.secrets IS 'The secret settings as a JSON object, encrypted with the key of the installation.';
COMMENT ON COLUMN channel_accounts.revision IS 'Raised by every change: whoever has opened the account opens it anew.';

CREATE TABLE channel_states (
    channel      text        NOT NULL,
    account      text        NOT NULL,
    holder       text        NOT NULL DEFAULT '',
    held_until   timestamptz,
    connected    boolean     NOT NULL DEFAULT false,
    connected_at timestamptz,
    event_at     timestamptz,
    lag_ms       int,
    error        text        NOT NULL DEFAULT '',
    error_at     timestamptz,
    memory       jsonb       NOT NULL DEFAULT '{}',
    PRIMARY KEY (channel, account),
    FOREIGN KEY (channel, account) REFERENCES channel_accounts ON DELETE CASCADE
);
COMMENT ON TABLE channel_states IS 'How the receiving side of each account stands. Written by the ingress that holds its connection.';
COMMENT ON COLUMN channel_states.holder IS 'The ingress that holds the connection of an account that may have one only; another one takes over when held_until is past.';
COMMENT ON COLUMN channel_states.memory IS 'What the adapter goes on with after a restart, by key; values are base64. Losing it costs repeated deliveries, no message.';

ALTER TABLE inbox ADD COLUMN place jsonb;
COMMENT ON COLUMN inbox.place IS 'chat.Address: where what answers it is delivered. NULL: its sender reads the events of the session.';
CREATE INDEX inbox_placed ON inbox (session_key, id DESC) WHERE place IS NOT NULL;

CREATE TABLE outbound (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nonce       uuid        NOT NULL DEFAULT gen_random_uuid(),
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    channel     text        NOT NULL,
    account     text        NOT NULL,
    place       jsonb       NOT NULL,
    message_id  bigint      NOT NULL REFERENCES messages ON DELETE CASCADE,
    turn_id     text,
    state       text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'uncertain', 'failed', 'expired')),
    parts       jsonb,
    tries       int         NOT NULL DEFAULT 0,
    tried_at    timestamptz,
    woken_at    timestamptz NOT NULL DEFAULT now(),
    error       text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz
);
CREATE UNIQUE INDEX outbound_by_message ON outbound (message_id);
CREATE INDEX outbound_waiting ON outbound (session_key, id) WHERE state = 'waiting';
CREATE INDEX outbound_to_wake ON outbound (woken_at) WHERE state = 'waiting';
COMMENT ON TABLE outbound IS 'Answers and notices on their way to a platform. Inserted in the transaction that writes the message; sent in the order of id, a session at a time, by its Deliver workflow, which the relay starts where nobody has. parts is chat.Piece: how the text was divided at the first try, and what the platform answered to each.';
COMMENT ON COLUMN outbound.nonce IS 'With the number of the part it is the idempotency key on the platform.';

-- +goose Down
DROP TABLE outbound;
DROP INDEX inbox_placed;
ALTER TABLE inbox DROP COLUMN place;
DROP TABLE channel_states, channel_accounts;
