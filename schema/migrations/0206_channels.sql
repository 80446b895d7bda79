-- +goose Up
-- Channels: accounts on platforms, deliveries, cards, and messages of groups.

CREATE SEQUENCE channel_revisions;
CREATE TABLE channel_accounts (
    channel    text        NOT NULL CHECK (channel <> ''),
    account    text        NOT NULL DEFAULT '',
    enabled    boolean     NOT NULL DEFAULT true,
    settings   jsonb       NOT NULL DEFAULT '{}',
    secrets    bytea,
    revision   bigint      NOT NULL DEFAULT nextval('channel_revisions'),
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (channel, account)
);
COMMENT ON TABLE channel_accounts IS 'Bots on platforms: what they are configured with. Written by the settings, or at start from the environment; read by every process within a second. What is written to a person on a channel without a row here is delivered by nobody (a bridge reads the events).';
COMMENT ON COLUMN channel_accounts.secrets IS 'The secret settings as a JSON object, encrypted with the key of the installation.';
COMMENT ON COLUMN channel_accounts.revision IS 'From channel_revisions, anew with every change: whoever has opened the account opens it anew, also after one that was removed and made again.';
-- A new revision, and not secrets that were sealed anew.
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON channel_accounts
    FOR EACH ROW EXECUTE FUNCTION note_change('channel', '', 'channel account', 'enabled settings', 'secrets', 'changed_by');

CREATE TABLE channel_states (
    channel      text    NOT NULL,
    account      text    NOT NULL,
    holder       text    NOT NULL DEFAULT '',
    held_until   timestamptz,
    connected    boolean NOT NULL DEFAULT false,
    connected_at timestamptz,
    event_at     timestamptz,
    lag_ms       int,
    error        text    NOT NULL DEFAULT '',
    error_at     timestamptz,
    memory       jsonb   NOT NULL DEFAULT '{}',
    signs        int     NOT NULL DEFAULT 0,
    signs_budget int     NOT NULL DEFAULT 0,
    signs_from   timestamptz,
    PRIMARY KEY (channel, account),
    FOREIGN KEY (channel, account) REFERENCES channel_accounts ON DELETE CASCADE
);
COMMENT ON TABLE channel_states IS 'How the receiving side of each account stands. Written by the ingress that holds its connection.';
COMMENT ON COLUMN channel_states.holder IS 'The ingress that holds the connection of an account that may have one only; another one takes over when held_until is past.';
COMMENT ON COLUMN channel_states.memory IS 'What the adapter goes on with after a restart, by key; values are base64. Losing it costs repeated deliveries, no message.';
COMMENT ON COLUMN channel_states.signs IS 'How many signs of life were wanted of the account since signs_from: reactions, "is writing", lines that say that a turn goes on. What is above signs_budget was not shown.';
COMMENT ON COLUMN channel_states.signs_budget IS 'How many the account may show in an hour, as the newest of them was counted; 0: none was.';
COMMENT ON COLUMN channel_states.signs_from IS 'When the hour began that is counted.';

CREATE TABLE outbound (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nonce       uuid        NOT NULL DEFAULT gen_random_uuid(),
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    channel     text        NOT NULL,
    account     text        NOT NULL,
    place       jsonb       NOT NULL,
    message_id  bigint      REFERENCES messages ON DELETE CASCADE,
    turn_id     text,
    state       text        NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'uncertain', 'failed', 'expired')),
    parts       jsonb,
    tries       int         NOT NULL DEFAULT 0,
    tried_at    timestamptz,
    woken_at    timestamptz NOT NULL DEFAULT now(),
    error       text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    kind        text        NOT NULL DEFAULT 'message' CHECK (kind IN ('message', 'question', 'settled', 'card')),
    call_id     text        REFERENCES tool_calls ON DELETE CASCADE,
    tells_of    bigint,
    card        jsonb,
    CHECK ((kind = 'message') = (message_id IS NOT NULL)),
    CHECK ((kind = 'message') = (call_id IS NULL)),
    CONSTRAINT outbound_card_check CHECK ((kind = 'card') = (card IS NOT NULL))
);
CREATE UNIQUE INDEX outbound_by_message ON outbound (message_id);
CREATE INDEX outbound_waiting ON outbound (session_key, id) WHERE state = 'waiting';
CREATE INDEX outbound_to_wake ON outbound (woken_at) WHERE state = 'waiting';
CREATE UNIQUE INDEX outbound_by_call ON outbound (call_id, kind) WHERE call_id IS NOT NULL;
CREATE INDEX outbound_undelivered ON outbound (ended_at, id) WHERE state IN ('uncertain', 'failed', 'expired');
COMMENT ON TABLE outbound IS 'Answers and notices on their way to a platform. Inserted in the transaction that writes the message; sent in the order of id, a session at a time, by its Deliver workflow, which the relay starts where nobody has. parts is chat.Piece: how the text was divided at the first try, and what the platform answered to each.';
COMMENT ON COLUMN outbound.nonce IS 'With the number of the part it is the idempotency key on the platform.';
COMMENT ON COLUMN outbound.kind IS 'message: what was written. question: what a call asks a person; inserted in the transaction that opens the question. settled: the question is not open any more, so its buttons go; inserted in the transaction that ends it, if the question was sent or may be. card: a card of the model that nobody waits for; inserted by its call.';
COMMENT ON COLUMN outbound.tells_of IS 'The delivery of which this notice says that it may not have arrived: of one that is lost itself nothing more is said. Written with the end of that delivery.';
COMMENT ON COLUMN outbound.card IS 'The card as it was when its call ran.';

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
    ended_at    timestamptz,
    rests_for   timestamptz,
    lines       int         NOT NULL DEFAULT 0
);
CREATE INDEX progress_cards_open ON progress_cards (session_key) WHERE state IN ('waiting', 'tried', 'shown');
COMMENT ON TABLE progress_cards IS 'The one message on a platform that shows how a turn goes on and becomes its answer. Inserted by the relay for turns that run for some seconds, written by the Deliver workflow of the session. waiting: nothing was sent; tried: handed to the platform, which knows the nonce; shown: it is there as message_id; answer: it became the answer; settled: it was taken back or says how the turn ended; none: there is none and will be none. No reference to turns, since a turn that is released leaves its card behind, which has to be taken back.';
COMMENT ON COLUMN progress_cards.woken_at IS 'Until when somebody is trusted to follow the turn; after that the relay wakes the Deliver workflow.';
COMMENT ON COLUMN progress_cards.retry_at IS 'When the card of a turn that has ended may be touched again after the platform did not answer.';
COMMENT ON COLUMN progress_cards.rests_for IS 'The card says that its turn waits for a model provider since then (turns.waits_since): nobody follows the turn until it goes on. Written by whoever follows it.';
COMMENT ON COLUMN progress_cards.lines IS 'The newest short message that says that the turn goes on, where the platform does not change messages. Noted before it is sent, so that it is sent once at most.';

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

CREATE TABLE overheard (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    channel     text        NOT NULL,
    account     text        NOT NULL,
    platform_id text        NOT NULL,
    sender      text        NOT NULL,
    body        text        NOT NULL,
    sent_at     timestamptz NOT NULL,
    taken       boolean     NOT NULL DEFAULT false,
    UNIQUE (channel, account, session_key, platform_id)
);
CREATE INDEX overheard_by_session ON overheard (session_key, sent_at, id);
COMMENT ON TABLE overheard IS 'What was said in a group without addressing the bot, kept as context for the next message that does. Written by the gateway, at most historyLimit rows a session; taken into the transcript and deleted by the claim of that message.';
COMMENT ON COLUMN overheard.taken IS 'It came into the transcript, or was too old to be kept. Its text is gone; the row stays for 30 days, so that the same message is not taken for a new one.';

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
DROP TABLE amended_messages, overheard, card_drafts, progress_cards, outbound, channel_states, channel_accounts;
DROP SEQUENCE channel_revisions;
