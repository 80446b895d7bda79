-- +goose Up
CREATE TABLE client_actions (
    call_id     text        PRIMARY KEY REFERENCES tool_calls ON DELETE CASCADE,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    client      text        NOT NULL,
    action      text        NOT NULL CHECK (action IN ('open', 'theme', 'layout')),
    what        text        NOT NULL DEFAULT '',
    value       text        NOT NULL DEFAULT '',
    state       text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'taken', 'done', 'refused', 'expired')),
    reason      text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    sent_at     timestamptz,
    taken_at    timestamptz,
    answered_at timestamptz
);
CREATE INDEX client_actions_of_client ON client_actions (session_key, client);
CREATE INDEX client_actions_by_user ON client_actions (user_id);
COMMENT ON TABLE client_actions IS 'What a model wants the page or the terminal to show that a message came from (tui_control). Written by the tool, by the event stream that sends it, and by the API with which the client answers.';
COMMENT ON COLUMN client_actions.client IS 'Which client is meant: what stands before the first dot in the id that it gave the newest message of the turn.';
COMMENT ON COLUMN client_actions.state IS 'open: nobody has taken it yet. taken: a client is carrying it out, or has died over it. done, refused: what the client said. expired: nobody answered in time, and nobody may any more.';
COMMENT ON COLUMN client_actions.expires_at IS 'From then on it is neither sent nor answered: it must not surprise whoever connects later.';
COMMENT ON COLUMN client_actions.taken_at IS 'When a client said that it carries it out. One client alone does: the one that was told that it may.';
COMMENT ON COLUMN client_actions.sent_at IS 'When it was first sent to the client. NULL: the client was not listening.';

-- +goose Down
DROP TABLE client_actions;
