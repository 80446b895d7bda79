-- +goose Up
CREATE TABLE service_rates (
    key_id text        PRIMARY KEY REFERENCES service_keys ON DELETE CASCADE,
    minute timestamptz NOT NULL,
    n      int         NOT NULL
);
COMMENT ON TABLE service_rates IS 'Requests of each key of a service in the minute in which it was used last. Written by service_admit alone, whose lock of the row puts the requests of a key in an order.';

CREATE TABLE service_sends (
    id      text        PRIMARY KEY,
    key_id  text        NOT NULL REFERENCES service_keys ON DELETE CASCADE,
    user_id bigint      REFERENCES users ON DELETE CASCADE,
    at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX service_sends_by_key ON service_sends (key_id);
CREATE INDEX service_sends_by_user ON service_sends (user_id);
COMMENT ON TABLE service_sends IS 'Messages of consumers that were admitted and are not known to be over: each takes one of the places of its key. Written and removed by service_admit, removed where a message was not accepted after all.';
COMMENT ON COLUMN service_sends.user_id IS 'The consumer; null: their conversation is about to begin.';
COMMENT ON COLUMN service_sends.id IS 'The platform id of the message in inbox, whose row is committed a moment later.';

CREATE TABLE service_retries (
    key_id          text        NOT NULL REFERENCES service_keys ON DELETE CASCADE,
    identity        text        NOT NULL,
    conversation_id text        NOT NULL REFERENCES service_conversations (id) ON DELETE CASCADE,
    send_id         text        NOT NULL,
    at              timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (key_id, identity)
);
CREATE INDEX service_retries_by_conversation ON service_retries (conversation_id);
COMMENT ON TABLE service_retries IS 'Which message a request was whose client gives it no key of its own and counts its retries instead, until its answer was delivered. Written by /api/v1/chat/completions before the message is accepted; after a day it is forgotten.';
COMMENT ON COLUMN service_retries.identity IS 'A hash of the request.';

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

-- +goose StatementBegin
CREATE FUNCTION service_admit(of_service text, of_key text, per_minute int, send text, consumer bigint, most int, budget bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    taken bigint;
BEGIN
    INSERT INTO service_rates AS r (key_id, minute, n) VALUES (of_key, date_trunc('minute', clock_timestamp()), 1)
    ON CONFLICT (key_id) DO UPDATE SET
        minute = date_trunc('minute', clock_timestamp()),
        n      = CASE WHEN r.minute = date_trunc('minute', clock_timestamp()) THEN r.n + 1 ELSE 1 END
    WHERE r.n < per_minute OR r.minute <> date_trunc('minute', clock_timestamp());
    IF NOT FOUND THEN
        RETURN ARRAY[1, 1000 * ceil(60 - extract(second FROM clock_timestamp()))::bigint, per_minute];
    END IF;
    IF send = '' OR EXISTS (SELECT FROM service_sends s WHERE s.id = send)
       OR EXISTS (SELECT FROM inbox i WHERE i.channel = 'svc' AND i.account = '' AND i.user_id = consumer AND i.platform_id = send) THEN
        RETURN ARRAY[0, 0, 0]::bigint[]; -- it only reads, or was admitted before
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
COMMENT ON FUNCTION service_admit IS 'Admits a request of a key, and the message that it sends: {verdict, milliseconds until it may be tried again, the limit}. Verdicts: 0 admitted, 1 too many requests in a minute, 2 too many messages at once, 3 the tokens of the day are used up. Requests of one key are admitted one after the other, so that none exceeds a limit beside others.';

CREATE TABLE service_requests (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
COMMENT ON COLUMN service_requests.endpoint IS 'Method and path with the names of its parameters.';
COMMENT ON COLUMN service_requests.source IS 'api, or web where the page of the service asked.';
COMMENT ON COLUMN service_requests.latency_ms IS 'Until the answer was sent, of a stream until it ended.';

-- +goose Down
DROP TABLE service_requests;
DROP FUNCTION service_admit;
DROP TRIGGER count_service_tokens ON user_token_usage;
DROP FUNCTION count_service_tokens;
DROP TABLE service_tokens, service_retries, service_sends, service_rates;
