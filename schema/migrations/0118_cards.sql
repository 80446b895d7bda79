-- +goose Up
CREATE TABLE card_drafts (
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    id          text        NOT NULL,
    card        jsonb       NOT NULL,
    calls       text[]      NOT NULL,
    changed_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session_key, id)
);
CREATE INDEX card_drafts_by_age ON card_drafts (changed_at);
COMMENT ON TABLE card_drafts IS 'Cards that models make, before and after they are sent. Written by the tools card_create and card_add_..., 20 for a conversation. What was sent or asked is a copy: outbound.card, tool_calls.questions.';
COMMENT ON COLUMN card_drafts.id IS 'card_ and eight hexadecimal digits of the hash of the call that made it.';
COMMENT ON COLUMN card_drafts.calls IS 'The calls that have changed it: one that runs again changes nothing.';
ALTER TABLE outbound
    ADD COLUMN card jsonb,
    DROP CONSTRAINT outbound_kind_check,
    ADD CONSTRAINT outbound_kind_check CHECK (kind IN ('message', 'question', 'settled', 'card')),
    ADD CONSTRAINT outbound_card_check CHECK ((kind = 'card') = (card IS NOT NULL));
COMMENT ON COLUMN outbound.kind IS 'message: what was written. question: what a call asks a person; inserted in the transaction that opens the question. settled: the question is not open any more, so its buttons go; inserted in the transaction that ends it, if the question was sent or may be. card: a card of the model that nobody waits for; inserted by its call.';
COMMENT ON COLUMN outbound.card IS 'The card as it was when its call ran.';

-- +goose Down
DELETE FROM outbound WHERE kind = 'card';
ALTER TABLE outbound
    DROP CONSTRAINT outbound_card_check,
    DROP COLUMN card,
    DROP CONSTRAINT outbound_kind_check,
    ADD CONSTRAINT outbound_kind_check CHECK (kind IN ('message', 'question', 'settled'));
DROP TABLE card_drafts;
