-- +goose Up
CREATE TABLE questions_shown (
    call_id  text        NOT NULL REFERENCES tool_calls ON DELETE CASCADE,
    channel  text        NOT NULL,
    account  text        NOT NULL,
    chat     text        NOT NULL,
    shown_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (call_id, channel, account, chat)
);
COMMENT ON TABLE questions_shown IS 'Chats of platforms, besides the one in which a call asked, where its question was shown to a person who wrote there. Written by the ingress, with the message. What is written in a chat is an answer only if the question was shown there.';

-- +goose Down
DROP TABLE questions_shown;
