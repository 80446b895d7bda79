-- +goose Up
CREATE TABLE shares (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key  text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    token_hash   bytea       NOT NULL UNIQUE,
    title        text        NOT NULL,
    message_upto bigint      NOT NULL,
    control_upto bigint      NOT NULL,
    made_at      timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
CREATE INDEX shares_session ON shares (session_key);
COMMENT ON TABLE shares IS 'Links by which anybody reads a conversation as it was when the link was made. Written by its owner, over /api/sessions/{key}/shares; removed when they revoke it, some time after it has expired, and with the conversation.';
COMMENT ON COLUMN shares.token_hash IS 'SHA-256 of the token of the link, which itself is stored nowhere.';
COMMENT ON COLUMN shares.title IS 'Of the conversation, when the link was made.';
COMMENT ON COLUMN shares.message_upto IS 'The newest message that it shows; 0: there was none.';
COMMENT ON COLUMN shares.control_upto IS 'The newest control record when it was made: what was out of the conversation then stays hidden, whatever is brought back.';

-- +goose Down
DROP TABLE shares;
