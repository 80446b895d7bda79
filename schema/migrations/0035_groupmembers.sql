-- +goose Up
ALTER TABLE group_chats ADD COLUMN members int NOT NULL DEFAULT 0;
UPDATE group_chats SET members = coalesce((SELECT max(m.n) + 1 FROM group_members m WHERE m.group_id = group_chats.id), 0);
ALTER TABLE group_chats DROP CONSTRAINT group_chats_ended_check;
ALTER TABLE group_chats ADD CONSTRAINT group_chats_ended_check CHECK (ended IN ('', 'rounds', 'agreed', 'closed', 'budget', 'failed', 'gone'));
COMMENT ON TABLE group_chats IS 'Conversations among subagents of a session, by the call that made them. members is how many were invited, asked counts how often one was asked to speak, lines what was said. The transaction that writes ended tells the session. checked_at: when the relay or its workflow looked at it last.';

-- +goose Down
UPDATE group_chats SET ended = 'failed' WHERE ended = 'gone';
ALTER TABLE group_chats DROP CONSTRAINT group_chats_ended_check;
ALTER TABLE group_chats ADD CONSTRAINT group_chats_ended_check CHECK (ended IN ('', 'rounds', 'agreed', 'closed', 'budget', 'failed'));
ALTER TABLE group_chats DROP COLUMN members;
