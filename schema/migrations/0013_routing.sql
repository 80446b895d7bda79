-- +goose Up
CREATE TABLE policies (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    body       jsonb       NOT NULL,
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE policies IS 'How conversations are named, routed, queued, reset, delivered and limited: the policy document, every version of it, the newest in force. Written by the policy API and xbot policy; read by every process within a second.';

ALTER TABLE users ADD COLUMN kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'group'));
COMMENT ON COLUMN users.kind IS 'group: a group, channel or thread of a platform. Its conversations belong to it and not to whoever writes there, so that rights, runners and memory of a person never reach a group.';

ALTER TABLE sessions
    ADD COLUMN agent      text   NOT NULL DEFAULT 'main',
    ADD COLUMN chat_type  text   NOT NULL DEFAULT 'direct' CHECK (chat_type IN ('direct', 'group', 'channel', 'thread', 'cron', 'hook')),
    ADD COLUMN origin     jsonb  NOT NULL DEFAULT '{}',
    ADD COLUMN scene      text   NOT NULL DEFAULT '' CHECK (scene IN ('', 'chat', 'work')),
    ADD COLUMN model      text   NOT NULL DEFAULT '',
    ADD COLUMN think      text   NOT NULL DEFAULT '' CHECK (think IN ('', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh')),
    ADD COLUMN verbosity  text   NOT NULL DEFAULT '' CHECK (verbosity IN ('', 'off', 'on', 'full')),
    ADD COLUMN queue      jsonb  NOT NULL DEFAULT '{}',
    ADD COLUMN send       text   NOT NULL DEFAULT '' CHECK (send IN ('', 'on', 'off')),
    ADD COLUMN activation text   NOT NULL DEFAULT '' CHECK (activation IN ('', 'mention', 'always')),
    ADD COLUMN reset_id   bigint REFERENCES controls ON DELETE SET NULL;
COMMENT ON COLUMN sessions.origin IS 'chat.Origin: where the conversation takes place, as the newest message said.';
COMMENT ON COLUMN sessions.queue IS 'chat.Queue: what /queue set for this conversation; empty members follow the policy.';
COMMENT ON COLUMN sessions.reset_id IS 'Record of the newest reset: for the model the conversation begins after its message.';

ALTER TABLE controls DROP CONSTRAINT controls_kind_check;
ALTER TABLE controls ADD CONSTRAINT controls_kind_check CHECK (kind IN ('mask', 'compact', 'edit', 'stale', 'rewind', 'undo', 'reset'));

CREATE TABLE session_aliases (
    alias       text        PRIMARY KEY CHECK (alias <> '' AND octet_length(alias) <= 512),
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX session_aliases_by_session ON session_aliases (session_key);
COMMENT ON TABLE session_aliases IS 'Other names of a conversation: the thread, root message or answers of a work session, or a chat that /session bound to it. Written by the gateway and by /session.';

ALTER TABLE inbox DROP CONSTRAINT inbox_outcome_check;
ALTER TABLE inbox
    ADD CONSTRAINT inbox_outcome_check CHECK (outcome IN ('claimed', 'stopped', 'rejected', 'applied', 'stale', 'superseded', 'recalled', 'dropped', 'summarized')),
    ADD COLUMN mode          text        NOT NULL DEFAULT 'followup' CHECK (mode IN ('steer', 'followup', 'collect', 'interrupt', 'supersede')),
    ADD COLUMN sender        text        NOT NULL DEFAULT '',
    ADD COLUMN sent_at       timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN sent_seq      bigint      NOT NULL DEFAULT 0,
    ADD COLUMN not_before    timestamptz,
    ADD COLUMN reset         text        NOT NULL DEFAULT '' CHECK (reset IN ('', 'daily', 'idle')),
    ADD COLUMN options       jsonb       NOT NULL DEFAULT '{}',
    ADD COLUMN replaced_by   bigint,
    ADD COLUMN original      text,
    ADD COLUMN throttled_at  timestamptz,
    ADD COLUMN granted_until timestamptz;
DROP INDEX inbox_pending;
CREATE INDEX inbox_pending ON inbox (session_key, sent_at, sent_seq, id) WHERE outcome IS NULL;
CREATE INDEX inbox_replaced ON inbox (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX inbox_throttled ON inbox (throttled_at) WHERE outcome IS NULL AND throttled_at IS NOT NULL;
COMMENT ON COLUMN inbox.mode IS 'How the message joins a conversation that is busy, decided when it was accepted.';
COMMENT ON COLUMN inbox.sender IS 'Name of who wrote it, where several people write; empty in direct messages.';
COMMENT ON COLUMN inbox.sent_at IS 'When it was written, by the clock of its platform but never later than its acceptance. Waiting messages are claimed in the order of sent_at, sent_seq, id.';
COMMENT ON COLUMN inbox.not_before IS 'It may not be claimed earlier: more of the same burst may follow.';
COMMENT ON COLUMN inbox.reset IS 'The conversation had expired when it was accepted; the claim begins a new one before it.';
COMMENT ON COLUMN inbox.options IS 'chat.Options: what directives said for this message alone.';
COMMENT ON COLUMN inbox.replaced_by IS 'The newer message that superseded or summarized it; that one''s claim brings it into the transcript.';
COMMENT ON COLUMN inbox.original IS 'What was accepted, where its sender changed it while it waited: a repeated delivery carries this text. NULL: body.';
COMMENT ON COLUMN inbox.throttled_at IS 'A claim was refused because a limit was reached: its place among those who wait for a free turn.';
COMMENT ON COLUMN inbox.granted_until IS 'A freed turn is kept for it until then.';

ALTER TABLE turns
    ADD COLUMN user_id bigint  REFERENCES users ON DELETE SET NULL,
    ADD COLUMN options jsonb   NOT NULL DEFAULT '{}',
    ADD COLUMN deliver boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN turns.user_id IS 'Who wrote what the turn answers: the sender, where the session belongs to a group.';
COMMENT ON COLUMN turns.options IS 'chat.Options of the message that it answers.';
COMMENT ON COLUMN turns.deliver IS 'false: the send policy kept its answers from the channel.';

ALTER TABLE messages DROP CONSTRAINT messages_origin_check;
ALTER TABLE messages
    ADD CONSTRAINT messages_origin_check CHECK (origin IN ('', 'command', 'background', 'context', 'superseded', 'summarized', 'overheard', 'reset', 'continue')),
    ADD COLUMN sender  text    NOT NULL DEFAULT '',
    ADD COLUMN shown   text,
    ADD COLUMN silent  boolean NOT NULL DEFAULT false,
    ADD COLUMN deliver boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN messages.sender IS 'Name of who wrote it, where several people write.';
COMMENT ON COLUMN messages.shown IS 'What people see of an answer from which hidden parts were taken out; NULL: content.';
COMMENT ON COLUMN messages.silent IS 'The model chose not to answer; people are shown nothing.';
COMMENT ON COLUMN messages.deliver IS 'false: the send policy kept it from the channel.';

CREATE TABLE overheard (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    channel     text        NOT NULL,
    account     text        NOT NULL,
    platform_id text        NOT NULL,
    sender      text        NOT NULL,
    body        text        NOT NULL,
    sent_at     timestamptz NOT NULL,
    UNIQUE (channel, account, session_key, platform_id)
);
CREATE INDEX overheard_by_session ON overheard (session_key, sent_at, id);
COMMENT ON TABLE overheard IS 'What was said in a group without addressing the bot, kept as context for the next message that does. Written by the gateway, at most historyLimit rows a session; taken into the transcript and deleted by the claim of that message.';

CREATE TABLE pairings (
    code       text        PRIMARY KEY CHECK (code ~ '^[A-HJ-NP-Z2-9]{8}$'),
    channel    text        NOT NULL,
    account    text        NOT NULL,
    peer       text        NOT NULL,
    name       text        NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    UNIQUE (channel, account, peer)
);
COMMENT ON TABLE pairings IS 'People who wrote for the first time and wait for an administrator to let them in. Written by the gateway; removed when it is approved, refused or expired.';

CREATE TABLE access_grants (
    channel    text        NOT NULL,
    account    text        NOT NULL,
    peer       text        NOT NULL,
    name       text        NOT NULL DEFAULT '',
    granted_by bigint      REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (channel, account, peer)
);
COMMENT ON TABLE access_grants IS 'Who may write to the bot in direct messages beside the allow lists of the policy. Written when a pairing is approved. It never opens a group.';

CREATE TABLE link_codes (
    code_hash  bytea       PRIMARY KEY,
    user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
COMMENT ON TABLE link_codes IS 'Codes by which a person shows on a second channel who they are (SHA-256). Written by /link, used once.';

-- +goose Down
DROP TABLE link_codes, access_grants, pairings, overheard;
UPDATE messages SET origin = '' WHERE origin IN ('superseded', 'summarized', 'overheard', 'reset', 'continue');
ALTER TABLE messages DROP CONSTRAINT messages_origin_check, DROP COLUMN sender, DROP COLUMN shown, DROP COLUMN silent, DROP COLUMN deliver;
ALTER TABLE messages ADD CONSTRAINT messages_origin_check CHECK (origin IN ('', 'command', 'background', 'context'));
ALTER TABLE turns DROP COLUMN user_id, DROP COLUMN options, DROP COLUMN deliver;
DROP INDEX inbox_throttled, inbox_replaced, inbox_pending;
UPDATE inbox SET outcome = 'stopped' WHERE outcome IN ('superseded', 'recalled', 'dropped', 'summarized');
ALTER TABLE inbox DROP CONSTRAINT inbox_outcome_check, DROP COLUMN mode, DROP COLUMN sender, DROP COLUMN sent_at, DROP COLUMN sent_seq, DROP COLUMN not_before,
    DROP COLUMN reset, DROP COLUMN options, DROP COLUMN replaced_by, DROP COLUMN original, DROP COLUMN throttled_at, DROP COLUMN granted_until;
ALTER TABLE inbox ADD CONSTRAINT inbox_outcome_check CHECK (outcome IN ('claimed', 'stopped', 'rejected', 'applied', 'stale'));
CREATE INDEX inbox_pending ON inbox (session_key, id) WHERE outcome IS NULL;
DROP TABLE session_aliases;
ALTER TABLE sessions DROP COLUMN agent, DROP COLUMN chat_type, DROP COLUMN origin, DROP COLUMN scene, DROP COLUMN model, DROP COLUMN think, DROP COLUMN verbosity,
    DROP COLUMN queue, DROP COLUMN send, DROP COLUMN activation, DROP COLUMN reset_id;
DELETE FROM controls WHERE kind = 'reset';
ALTER TABLE controls DROP CONSTRAINT controls_kind_check;
ALTER TABLE controls ADD CONSTRAINT controls_kind_check CHECK (kind IN ('mask', 'compact', 'edit', 'stale', 'rewind', 'undo'));
ALTER TABLE users DROP COLUMN kind;
DROP TABLE policies;
