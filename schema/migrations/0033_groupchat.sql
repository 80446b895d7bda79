-- +goose Up
CREATE TABLE group_chats (
    id          text        PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    call_id     text        NOT NULL UNIQUE,
    tree        text        NOT NULL,
    topic       text        NOT NULL,
    max_rounds  int         NOT NULL CHECK (max_rounds BETWEEN 1 AND 50),
    asked       int         NOT NULL DEFAULT 0,
    lines       int         NOT NULL DEFAULT 0,
    ended       text        NOT NULL DEFAULT '' CHECK (ended IN ('', 'rounds', 'agreed', 'closed', 'budget', 'failed')),
    checked_at  timestamptz NOT NULL DEFAULT now(),
    created_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz
);
CREATE INDEX group_chats_open ON group_chats (checked_at) WHERE ended = '';
CREATE INDEX group_chats_by_session ON group_chats (session_key, created_at);
COMMENT ON TABLE group_chats IS 'Conversations among subagents of a session, by the call that made them. asked counts how often a member was asked to speak, lines what was said. The transaction that writes ended tells the session. checked_at: when the relay or its workflow looked at it last.';

CREATE TABLE group_members (
    group_id    text NOT NULL REFERENCES group_chats ON DELETE CASCADE,
    n           int  NOT NULL,
    session_key text NOT NULL REFERENCES subagents ON DELETE CASCADE,
    name        text NOT NULL,
    heard       int  NOT NULL DEFAULT 0,
    PRIMARY KEY (group_id, n),
    UNIQUE (group_id, session_key)
);
CREATE INDEX group_members_by_session ON group_members (session_key);
COMMENT ON TABLE group_members IS 'Who speaks in a group chat, in their order; written with it. heard is the last line that the member was told.';

CREATE TABLE group_lines (
    group_id   text        NOT NULL REFERENCES group_chats ON DELETE CASCADE,
    seq        int         NOT NULL,
    speaker    int         NOT NULL,
    key        text        NOT NULL,
    said       text        NOT NULL,
    outcome    text        NOT NULL CHECK (outcome IN ('done', 'passed', 'stopped', 'failed', 'lost')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, seq),
    UNIQUE (group_id, key)
);
COMMENT ON TABLE group_lines IS 'What was said in a group chat, once for each key: the task of the member, or the call of who made the chat, which is speaker -1. The transaction that ends the turn of the member writes it.';

ALTER TABLE subagent_tasks ADD COLUMN group_id text REFERENCES group_chats ON DELETE CASCADE;
CREATE INDEX subagent_tasks_by_group ON subagent_tasks (group_id) WHERE group_id IS NOT NULL;

CREATE TABLE peer_messages (
    call_id     text        PRIMARY KEY,
    turn_id     text        NOT NULL,
    sender      text        NOT NULL,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    hops        int         NOT NULL CHECK (hops > 0),
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX peer_messages_by_turn ON peer_messages (turn_id);
CREATE INDEX peer_messages_by_session ON peer_messages (session_key);
COMMENT ON TABLE peer_messages IS 'What a conversation has sent to another one of the same person, by the call that sent it; written with the inbox row that tells it. hops counts the messages that led to it since a person wrote.';

-- +goose Down
DROP TABLE peer_messages;
ALTER TABLE subagent_tasks DROP COLUMN group_id;
DROP TABLE group_lines, group_members, group_chats;
