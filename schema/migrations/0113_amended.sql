-- +goose Up
CREATE TABLE amended_messages (
    key         bytea       PRIMARY KEY,
    kind        text        NOT NULL CHECK (kind IN ('edited', 'recalled')),
    session_key text        REFERENCES sessions ON DELETE CASCADE,
    inbox_id    bigint      REFERENCES inbox ON DELETE CASCADE,
    sender      text        NOT NULL DEFAULT '',
    body        text        NOT NULL DEFAULT '',
    told        boolean     NOT NULL DEFAULT true,
    told_turn   text        NOT NULL DEFAULT '',
    changed_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX amended_messages_untold ON amended_messages (session_key) WHERE NOT told;
CREATE INDEX amended_messages_of_turn ON amended_messages (told_turn) WHERE told_turn <> '';
CREATE INDEX amended_messages_of_inbox ON amended_messages (inbox_id) WHERE inbox_id IS NOT NULL;
CREATE INDEX amended_messages_of_session ON amended_messages (session_key) WHERE session_key IS NOT NULL;
CREATE INDEX amended_messages_by_age ON amended_messages (changed_at);
COMMENT ON TABLE amended_messages IS 'Messages that people on platforms have taken back, and those that they changed after a turn had read them. Written by the gateway when the platform tells of it; the claim of the next message tells the model. Rows are kept for 30 days.';
COMMENT ON COLUMN amended_messages.key IS 'SHA-256 of bot, place and the platform''s id of the message: one that is not known, or was never let in, leaves nothing to read.';
COMMENT ON COLUMN amended_messages.session_key IS 'Whose model is told; null: no model has read the message.';
COMMENT ON COLUMN amended_messages.inbox_id IS 'The message, where it was one to the bot; null: it was overheard, or is not known.';
COMMENT ON COLUMN amended_messages.sender IS 'Name of who wrote it, where it was overheard.';
COMMENT ON COLUMN amended_messages.body IS 'The new text of one that was changed.';
COMMENT ON COLUMN amended_messages.told IS 'There is nothing that the model has still to be told.';
COMMENT ON COLUMN amended_messages.told_turn IS 'The turn whose message told it: where that message goes back to the queue, the model is told again.';

-- +goose Down
DROP TABLE amended_messages;
