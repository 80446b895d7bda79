-- +goose Up
CREATE TABLE told_once (
    topic   text        NOT NULL CHECK (topic IN ('door', 'cause', 'group', 'files')),
    channel text        NOT NULL,
    account text        NOT NULL,
    about   text        NOT NULL,
    what    text        NOT NULL,
    asked   text        NOT NULL DEFAULT '',
    told_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, channel, account, about)
);
CREATE INDEX told_once_by_age ON told_once (told_at);
COMMENT ON TABLE told_once IS 'Sentences that are said once and then at most daily: to a stranger at the door, to the administrator of a cause. Written before one is said by who says it; rows older than two days are removed by the next one.';
COMMENT ON COLUMN told_once.about IS 'Who or what: the id of a person on the platform (door, files), of a chat (group), a part of the server (cause).';
COMMENT ON COLUMN told_once.what IS 'Which sentence it was: another one is said at once.';
COMMENT ON COLUMN told_once.asked IS 'Id of the message that it answers: a message that the platform brings again is answered again.';

-- +goose Down
DROP TABLE told_once;
