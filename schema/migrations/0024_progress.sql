-- +goose Up
CREATE TABLE progress_cards (
    turn_id     text        PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    channel     text        NOT NULL,
    account     text        NOT NULL,
    place       jsonb       NOT NULL,
    nonce       uuid        NOT NULL DEFAULT gen_random_uuid(),
    message_id  text        NOT NULL DEFAULT '',
    state       text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'tried', 'shown', 'answer', 'settled', 'none')),
    tried_at    timestamptz,
    woken_at    timestamptz NOT NULL DEFAULT now(),
    retry_at    timestamptz,
    created_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz
);
CREATE INDEX progress_cards_open ON progress_cards (session_key) WHERE state IN ('waiting', 'tried', 'shown');
COMMENT ON TABLE progress_cards IS 'The one message on a platform that shows how a turn goes on and becomes its answer. Inserted by the relay for turns that run for some seconds, written by the Deliver workflow of the session. waiting: nothing was sent; tried: handed to the platform, which knows the nonce; shown: it is there as message_id; answer: it became the answer; settled: it was taken back or says how the turn ended; none: there is none and will be none. No reference to turns, since a turn that is released leaves its card behind, which has to be taken back.';
COMMENT ON COLUMN progress_cards.woken_at IS 'Until when somebody is trusted to follow the turn; after that the relay wakes the Deliver workflow.';
COMMENT ON COLUMN progress_cards.retry_at IS 'When the card of a turn that has ended may be touched again after the platform did not answer.';

-- +goose Down
DROP TABLE progress_cards;
