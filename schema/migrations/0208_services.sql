-- +goose Up
-- Services: what administrators publish, its keys, conversations, inbox, and usage.

CREATE TABLE services (
    id         text        PRIMARY KEY CHECK (id ~ '^svc_[0-9a-f]{8}$'),
    user_id    bigint      NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
    admin_id   bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    name       text        NOT NULL CHECK (name <> ''),
    published  boolean     NOT NULL DEFAULT true,
    definition jsonb       NOT NULL,
    revision   bigint      NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);
CREATE INDEX services_by_admin ON services (admin_id);
COMMENT ON TABLE services IS 'Agents that administrators have published to people and programs outside. Written by /api/services.';
COMMENT ON COLUMN services.user_id IS 'Its own user, whose limits its consumers share.';
COMMENT ON COLUMN services.admin_id IS 'Whose models, keys, documents and scripts it works with.';
COMMENT ON COLUMN services.definition IS 'Everything else that its administrator chose, as internal/service reads it.';
COMMENT ON COLUMN services.deleted_at IS 'It is being deleted with its conversations: nobody finds it any more.';

-- +goose StatementBegin
CREATE FUNCTION count_service_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE services_version SET version = version + 1;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION count_service_change IS 'Counts by row: a statement that changes no service, as the steps of a deletion have one, has no process read them again.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision, deleted_at ON services
    FOR EACH ROW EXECUTE FUNCTION note_change('service', '', 'id', 'name published definition deleted_at', '', '');
CREATE TRIGGER count_change AFTER INSERT OR UPDATE OR DELETE ON services
    FOR EACH ROW EXECUTE FUNCTION count_service_change();

CREATE TABLE services_version (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint  NOT NULL
);
COMMENT ON TABLE services_version IS 'One row, which counts the changes of services: processes keep what they read until it differs. Written in the transaction of each change.';
INSERT INTO services_version (version) VALUES (1);

CREATE TABLE service_keys (
    id           text        PRIMARY KEY CHECK (id ~ '^key_[0-9a-f]{6}$'),
    service_id   text        NOT NULL REFERENCES services ON DELETE CASCADE,
    name         text        NOT NULL,
    prefix       text        NOT NULL,
    hash         bytea       NOT NULL UNIQUE,
    revision     bigint      NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at   timestamptz,
    told_at      timestamptz
);
CREATE INDEX service_keys_by_service ON service_keys (service_id, created_at);
COMMENT ON TABLE service_keys IS 'Keys by which programs and people outside use a service. Written by /api/services; last_used_at by the consumers'' API, at most once a minute.';
COMMENT ON COLUMN service_keys.prefix IS 'The beginning of the key, by which people know it again.';
COMMENT ON COLUMN service_keys.hash IS 'SHA-256 of the key, which is kept nowhere.';
COMMENT ON COLUMN service_keys.revision IS 'Counts the secrets that the key has had.';
COMMENT ON COLUMN service_keys.told_at IS 'When a job of one of its conversations last got a place of the track: keys take turns. Written by the track.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision, revoked_at ON service_keys
    FOR EACH ROW EXECUTE FUNCTION note_change('service_key', '', 'service_id id', 'name prefix revoked_at', 'hash', '');

CREATE TABLE service_conversations (
    session_key text        PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    id          text        NOT NULL UNIQUE CHECK (id ~ '^[0-9a-f]{10}$'),
    service_id  text        NOT NULL REFERENCES services ON DELETE CASCADE,
    key_id      text        NOT NULL REFERENCES service_keys ON DELETE CASCADE,
    user_id     bigint      NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
    source      text        NOT NULL CHECK (source IN ('api', 'web', 'wechat')),
    external    text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    taken_by    bigint      REFERENCES users ON DELETE SET NULL,
    taken_at    timestamptz,
    said_from   jsonb,
    said_by     bigint      REFERENCES users ON DELETE SET NULL,
    unnamed     boolean     NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX service_conversations_by_external ON service_conversations (key_id, external) WHERE external <> '';
CREATE INDEX service_conversations_by_service ON service_conversations (service_id, created_at DESC);
CREATE INDEX service_conversations_taken ON service_conversations (taken_by) WHERE taken_by IS NOT NULL;
CREATE INDEX service_conversations_said_by ON service_conversations (said_by) WHERE said_by IS NOT NULL;
COMMENT ON TABLE service_conversations IS 'Conversations of consumers with services. Inserted with their session and their user, in one transaction; deleted with their user. Who has another key than the one that a conversation was begun with does not find it.';
COMMENT ON COLUMN service_conversations.external IS 'What the program calls its user, where it does: each has one conversation.';
COMMENT ON COLUMN service_conversations.taken_by IS 'The administrator who answers in place of the agent, which is silent until they give the conversation back. Null: the agent answers.';
COMMENT ON COLUMN service_conversations.said_from IS 'Where on a platform an administrator last took the conversation or spoke in it (chat.Address with channel and account), and is told what the consumer writes meanwhile. Null: on the page, or never.';
COMMENT ON COLUMN service_conversations.said_by IS 'The administrator whose chat said_from is. Null: nobody is told there.';
COMMENT ON COLUMN service_conversations.unnamed IS 'A request in OpenAI''s form began it that named neither a conversation nor a user. Where there are as many conversations as may be, it makes room for a new one.';

-- +goose StatementBegin
CREATE FUNCTION take_and_give() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE inbox SET not_before = CASE WHEN NEW.taken_by IS NOT NULL THEN '9999-01-01 00:00:00Z'::timestamptz END, woken_at = now() - interval '1 hour', wakes = 0
    WHERE session_key = NEW.session_key AND outcome IS NULL AND kind IN ('message', 'background', 'control');
    RETURN NULL;
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION take_and_give IS 'What waits in a conversation that is taken is held, and goes on when it is given back, also because whoever took it was deleted.';
CREATE TRIGGER take_and_give AFTER UPDATE OF taken_by ON service_conversations FOR EACH ROW
    WHEN ((OLD.taken_by IS NULL) <> (NEW.taken_by IS NULL)) EXECUTE FUNCTION take_and_give();

CREATE TABLE service_rooms (
    user_id           bigint      PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    service_id        text        NOT NULL,
    conversation_id   text        NOT NULL,
    admin_id          bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    runner            text        NOT NULL CHECK (runner <> ''),
    made_at           timestamptz NOT NULL DEFAULT now(),
    generated_bytes   bigint      NOT NULL DEFAULT 0,
    attachments_bytes bigint      NOT NULL DEFAULT 0
);
CREATE INDEX service_rooms_by_service ON service_rooms (service_id);
COMMENT ON TABLE service_rooms IS 'On which runner the files of a consumer''s conversation are. Inserted by whoever first looks for them; deleted by the deletion of the conversation once its folder is gone.';
COMMENT ON COLUMN service_rooms.user_id IS 'The consumer.';
COMMENT ON COLUMN service_rooms.admin_id IS 'Whose runner it is.';
COMMENT ON COLUMN service_rooms.generated_bytes IS 'How much lay in the folder when it was last looked at, and what was written since. Whoever writes or removes a file of the room looks.';
COMMENT ON COLUMN service_rooms.attachments_bytes IS 'As above, of the other folder.';

CREATE TABLE service_inbox (
    id          text        PRIMARY KEY CHECK (id ~ '^inbox_[0-9a-f]{8}$'),
    service_id  text        NOT NULL REFERENCES services ON DELETE CASCADE,
    session_key text        NOT NULL REFERENCES service_conversations ON DELETE CASCADE,
    call_id     text        NOT NULL UNIQUE,
    message     text        NOT NULL CHECK (message <> '' AND char_length(message) <= 4000),
    told        bigint      REFERENCES inbox ON DELETE SET NULL,
    status      text        NOT NULL DEFAULT 'unread' CHECK (status IN ('unread', 'read', 'handled')),
    by_hand     boolean     NOT NULL DEFAULT false,
    answered_by bigint      REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    changed_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_inbox_by_service ON service_inbox (service_id, created_at DESC);
CREATE INDEX service_inbox_by_session ON service_inbox (session_key, created_at DESC);
CREATE INDEX service_inbox_told ON service_inbox (told) WHERE told IS NOT NULL;
CREATE INDEX service_inbox_answered ON service_inbox (answered_by) WHERE answered_by IS NOT NULL;
COMMENT ON TABLE service_inbox IS 'What consumers ask a person of the house. Inserted by the tool contact_admin, once for a call; status set by administrators. Goes with the conversation.';
COMMENT ON COLUMN service_inbox.told IS 'The row that has the service''s agent tell the administrator of it, on a platform. Null: they see it on the page.';
COMMENT ON COLUMN service_inbox.by_hand IS 'A person has set the status, which then counts whatever the agent said.';

CREATE VIEW service_inbox_items AS
SELECT i.id, i.service_id, i.session_key, i.message, i.told, i.answered_by, i.created_at, i.changed_at,
       (CASE WHEN NOT i.by_hand AND told.content IS NOT NULL THEN 'handled' ELSE i.status END)::text AS status,
       (CASE WHEN i.by_hand AND i.status = 'handled' THEN 'manual' WHEN NOT i.by_hand AND told.content IS NOT NULL THEN 'agent' ELSE '' END)::text AS handled_by,
       left(coalesce(told.content, ''), 2000)::text AS agent_response
FROM service_inbox i
LEFT JOIN LATERAL (
    SELECT m.content FROM inbox r JOIN turns t ON t.id = r.turn_id JOIN messages m ON m.turn_id = t.id
    WHERE r.id = i.told AND t.state = 'done' AND m.role = 'assistant' AND NOT m.silent AND m.content <> ''
    ORDER BY m.id DESC LIMIT 1
) told ON true;
COMMENT ON VIEW service_inbox_items IS 'Items with what became of them: one that the service''s agent has told the administrator is handled by it, unless a person has set its status.';

CREATE TABLE service_tokens (
    service_id        text   NOT NULL REFERENCES services ON DELETE CASCADE,
    day               date   NOT NULL,
    key_id            text   NOT NULL,
    model             text   NOT NULL,
    calls             bigint NOT NULL DEFAULT 0,
    prompt_tokens     bigint NOT NULL DEFAULT 0,
    cached_tokens     bigint NOT NULL DEFAULT 0,
    completion_tokens bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (service_id, day, key_id, model)
);
COMMENT ON TABLE service_tokens IS 'What the consumers of each service used, by day (UTC), key and model. Added to with user_token_usage, and kept when a conversation is deleted: else a program could have its budget anew by deleting.';

CREATE TABLE service_rates (
    key_id    text        PRIMARY KEY REFERENCES service_keys ON DELETE CASCADE,
    minute    timestamptz NOT NULL,
    n         int         NOT NULL,
    unread_at timestamptz
);
COMMENT ON TABLE service_rates IS 'Requests of each key of a service in the minute in which it was used last. Written by service_admit alone, whose lock of the row puts the requests of a key in an order.';
COMMENT ON COLUMN service_rates.unread_at IS 'When a request in the form of OpenAI''s was last refused before it was read: which one it was, and whether its client tries again, nobody knows.';

CREATE TABLE service_sends (
    id      text        PRIMARY KEY,
    key_id  text        NOT NULL REFERENCES service_keys ON DELETE CASCADE,
    user_id bigint      REFERENCES users ON DELETE CASCADE,
    at      timestamptz NOT NULL DEFAULT now(),
    holders int         NOT NULL DEFAULT 1
);
CREATE INDEX service_sends_by_key ON service_sends (key_id);
CREATE INDEX service_sends_by_user ON service_sends (user_id);
COMMENT ON TABLE service_sends IS 'Messages of consumers that were admitted and are not known to be over: each takes one of the places of its key. Written and removed by service_admit, removed where a message was not accepted after all.';
COMMENT ON COLUMN service_sends.id IS 'The platform id of the message in inbox, whose row is committed a moment later.';
COMMENT ON COLUMN service_sends.user_id IS 'The consumer; null: their conversation is about to begin.';
COMMENT ON COLUMN service_sends.holders IS 'Requests that were admitted with the message, without those that ended and did not have it accepted. Its place is given back when none is left: one that fails takes it from no other that is sending the same message.';

CREATE TABLE service_retries (
    key_id          text        NOT NULL REFERENCES service_keys ON DELETE CASCADE,
    identity        text        NOT NULL,
    conversation_id text        REFERENCES service_conversations (id) ON DELETE CASCADE,
    send_id         text,
    at              timestamptz NOT NULL DEFAULT now(),
    several         boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (key_id, identity)
);
CREATE INDEX service_retries_by_conversation ON service_retries (conversation_id);
CREATE INDEX service_retries_by_time ON service_retries (at);
COMMENT ON TABLE service_retries IS 'Which message a request was whose client gives it no key of its own and counts its retries instead, until its answer was delivered. Written by /api/v1/chat/completions when the request comes and before the message is accepted; after ten minutes it counts no more.';
COMMENT ON COLUMN service_retries.identity IS 'A hash of the request.';
COMMENT ON COLUMN service_retries.conversation_id IS 'Null: the request was not accepted, or its answer was delivered: a retry begins anew.';
COMMENT ON COLUMN service_retries.several IS 'More than one client may have sent the request, which names no conversation: nobody knows whose a retry is, and it begins anew.';

CREATE TABLE service_requests (
    id              text        PRIMARY KEY CHECK (id <> ''),
    service_id      text        NOT NULL REFERENCES services ON DELETE CASCADE,
    key_id          text        NOT NULL,
    conversation_id text        NOT NULL DEFAULT '',
    endpoint        text        NOT NULL,
    source          text        NOT NULL,
    status          int         NOT NULL,
    latency_ms      bigint      NOT NULL,
    turn_id         text        NOT NULL DEFAULT '',
    at              timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_requests_by_service ON service_requests (service_id, at);
CREATE INDEX service_requests_by_time ON service_requests (at);
COMMENT ON TABLE service_requests IS 'One row a request of a consumer whose key was good. It holds nothing that anybody wrote, and stays when the conversation is deleted. Written by /api/v1 in batches, pruned by age.';
COMMENT ON COLUMN service_requests.id IS 'Made when the request ended: a batch of which nobody knows whether it was written is written again, and nothing counts twice.';
COMMENT ON COLUMN service_requests.endpoint IS 'Method and path with the names of its parameters.';
COMMENT ON COLUMN service_requests.source IS 'api, or web where the page of the service asked.';
COMMENT ON COLUMN service_requests.latency_ms IS 'Until the answer was sent, of a stream until it ended.';

CREATE TABLE service_contacts (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    service_id text        NOT NULL REFERENCES services ON DELETE CASCADE,
    key_id     text        NOT NULL REFERENCES service_keys ON DELETE CASCADE,
    at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_contacts_by_service ON service_contacts (service_id, at);
CREATE INDEX service_contacts_by_key ON service_contacts (key_id, at);
COMMENT ON TABLE service_contacts IS 'One row an item of an inbox in the last hour, by the key of its conversation. It holds nothing that anybody wrote, and stays when the conversation is deleted: else a program could ask anew by deleting. Written by contact_admin, which removes what is older.';

-- +goose StatementBegin
CREATE FUNCTION service_spent(s services) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((s.definition #>> '{limits,tokens_per_day}')::bigint, 0) > 0 AND (s.definition #>> '{limits,tokens_per_day}')::bigint <= (
        SELECT coalesce(sum(t.prompt_tokens + t.completion_tokens), 0) FROM service_tokens t
        WHERE t.service_id = s.id AND t.day = (now() AT TIME ZONE 'UTC')::date);
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION service_spent IS 'Whether the tokens are used up that the consumers of a service may use in this day of UTC.';

-- +goose StatementBegin
CREATE FUNCTION service_admit(of_service text, of_key text, per_minute int, send text, consumer bigint, most int, budget bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    taken bigint;
BEGIN
    IF send = '' THEN
        INSERT INTO service_rates AS r (key_id, minute, n) VALUES (of_key, date_trunc('minute', clock_timestamp()), 1)
        ON CONFLICT (key_id) DO UPDATE SET
            minute = date_trunc('minute', clock_timestamp()),
            n      = CASE WHEN r.minute = date_trunc('minute', clock_timestamp()) THEN r.n + 1 ELSE 1 END
        WHERE r.n < per_minute OR r.minute <> date_trunc('minute', clock_timestamp());
        IF NOT FOUND THEN
            RETURN ARRAY[1, 1000 * ceil(60 - extract(second FROM clock_timestamp()))::bigint, per_minute];
        END IF;
        RETURN ARRAY[0, 0, 0]::bigint[];
    END IF;
    -- Its request was counted before its body was read. The lock of the row puts the messages of the key in an order.
    INSERT INTO service_rates AS r (key_id, minute, n) VALUES (of_key, date_trunc('minute', clock_timestamp()), 0)
    ON CONFLICT (key_id) DO UPDATE SET n = r.n;
    UPDATE service_sends s SET holders = s.holders + 1 WHERE s.id = send;
    IF FOUND OR EXISTS (SELECT FROM inbox i WHERE i.channel = 'svc' AND i.account = '' AND i.user_id = consumer AND i.platform_id = send) THEN
        RETURN ARRAY[0, 0, 0]::bigint[]; -- it was admitted before
    END IF;
    IF budget > 0 THEN
        SELECT coalesce(sum(t.prompt_tokens + t.completion_tokens), 0) INTO taken FROM service_tokens t
        WHERE t.service_id = of_service AND t.day = (clock_timestamp() AT TIME ZONE 'UTC')::date;
        IF taken >= budget THEN
            RETURN ARRAY[3, 1000 * ceil(extract(epoch FROM (date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') + interval '1 day') - (clock_timestamp() AT TIME ZONE 'UTC')))::bigint, budget];
        END IF;
    END IF;
    DELETE FROM service_sends s WHERE s.key_id = of_key AND NOT EXISTS (
        SELECT FROM inbox i LEFT JOIN turns t ON t.id = i.turn_id
        WHERE i.channel = 'svc' AND i.account = '' AND i.user_id = s.user_id AND i.platform_id = s.id AND (i.outcome IS NULL OR t.state = 'running')
    ) AND (s.at < clock_timestamp() - interval '1 minute' OR EXISTS (
        SELECT FROM inbox i WHERE i.channel = 'svc' AND i.account = '' AND i.user_id = s.user_id AND i.platform_id = s.id
    ));
    SELECT count(*) INTO taken FROM service_sends s WHERE s.key_id = of_key;
    IF taken >= most THEN
        RETURN ARRAY[2, 1000, most]::bigint[];
    END IF;
    INSERT INTO service_sends (id, key_id, user_id, at) VALUES (send, of_key, nullif(consumer, 0), clock_timestamp());
    RETURN ARRAY[0, 0, taken + 1];
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION service_admit IS 'Counts a request of a key, where it names no message; else admits the message that a counted request sends: {verdict, milliseconds until it may be tried again, the limit}. Verdicts: 0 admitted, 1 too many requests in a minute, 2 too many messages at once, 3 the tokens of the day are used up. Requests of one key are admitted one after the other, so that none exceeds a limit beside others.';

-- +goose StatementBegin
CREATE FUNCTION hold_while_taken() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    taker bigint;
BEGIN
    SELECT c.taken_by INTO taker FROM service_conversations c WHERE c.session_key = NEW.session_key FOR SHARE;
    IF taker IS NOT NULL THEN
        NEW.not_before := '9999-01-01 00:00:00Z';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION hold_while_taken IS 'Whatever a conversation is told while a person has taken it waits until it is given back, by whichever way it came. The row of the conversation is locked: what is accepted at the moment of a taking comes before or after it.';
CREATE TRIGGER hold_while_taken BEFORE INSERT ON inbox FOR EACH ROW
    WHEN (NEW.outcome IS NULL AND NEW.kind IN ('message', 'background', 'control') AND NEW.session_key LIKE 'agent:svc\_%')
    EXECUTE FUNCTION hold_while_taken();

-- +goose StatementBegin
CREATE FUNCTION count_service_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before user_token_usage;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        before := OLD;
    END IF;
    INSERT INTO service_tokens AS t (service_id, day, key_id, model, calls, prompt_tokens, cached_tokens, completion_tokens)
    SELECT c.service_id, NEW.day, c.key_id, NEW.model, NEW.calls - coalesce(before.calls, 0), NEW.prompt_tokens - coalesce(before.prompt_tokens, 0),
           NEW.cached_tokens - coalesce(before.cached_tokens, 0), NEW.completion_tokens - coalesce(before.completion_tokens, 0)
    FROM service_conversations c WHERE c.session_key = NEW.session_key
    ON CONFLICT (service_id, day, key_id, model) DO UPDATE SET
        calls             = t.calls + EXCLUDED.calls,
        prompt_tokens     = t.prompt_tokens + EXCLUDED.prompt_tokens,
        cached_tokens     = t.cached_tokens + EXCLUDED.cached_tokens,
        completion_tokens = t.completion_tokens + EXCLUDED.completion_tokens;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER count_service_tokens AFTER INSERT OR UPDATE ON user_token_usage
    FOR EACH ROW WHEN (NEW.session_key LIKE 'agent:svc\_%') EXECUTE FUNCTION count_service_tokens();

-- +goose Down
DROP TRIGGER hold_while_taken ON inbox;
DROP TRIGGER count_service_tokens ON user_token_usage;
DROP FUNCTION count_service_tokens, hold_while_taken, service_admit, service_spent;
DROP TABLE service_contacts, service_requests, service_retries, service_sends, service_rates, service_tokens;
DROP VIEW service_inbox_items;
DROP TABLE service_inbox, service_rooms, service_conversations;
DROP FUNCTION take_and_give;
DROP TABLE service_keys, services_version, services;
DROP FUNCTION count_service_change;
