-- +goose Up
ALTER TABLE told_once DROP CONSTRAINT told_once_topic_check;
ALTER TABLE told_once ADD CONSTRAINT told_once_topic_check CHECK (topic IN ('door', 'cause', 'group', 'files', 'unlisted'));

CREATE TABLE refusals (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    said_at     timestamptz NOT NULL DEFAULT now(),
    said        integer     NOT NULL DEFAULT 1,
    unsaid      integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (session_key, user_id)
);
COMMENT ON TABLE refusals IS 'Who found the queue of a conversation full: when they were first told so in a minute, how often since, and how many more of their messages found no room in it. Written by the ingress, which bounds how often it tells them.';

-- +goose Down
DROP TABLE refusals;
DELETE FROM told_once WHERE topic = 'unlisted';
ALTER TABLE told_once DROP CONSTRAINT told_once_topic_check;
ALTER TABLE told_once ADD CONSTRAINT told_once_topic_check CHECK (topic IN ('door', 'cause', 'group', 'files'));
