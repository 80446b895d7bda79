-- +goose Up
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION service_admit(of_service text, of_key text, per_minute int, send text, consumer bigint, most int, budget bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
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

ALTER TABLE service_rates ADD COLUMN unread_at timestamptz;
COMMENT ON COLUMN service_rates.unread_at IS 'When a request in the form of OpenAI''s was last refused before it was read: which one it was, and whether its client tries again, nobody knows.';

DELETE FROM service_retries;
ALTER TABLE service_retries ALTER COLUMN conversation_id DROP NOT NULL;
ALTER TABLE service_retries ALTER COLUMN send_id DROP NOT NULL;
ALTER TABLE service_retries ADD COLUMN several boolean NOT NULL DEFAULT false;
CREATE INDEX service_retries_by_time ON service_retries (at);
COMMENT ON TABLE service_retries IS 'Which message a request was whose client gives it no key of its own and counts its retries instead, until its answer was delivered. Written by /api/v1/chat/completions when the request comes and before the message is accepted; after ten minutes it counts no more.';
COMMENT ON COLUMN service_retries.conversation_id IS 'Null: the request was not accepted, or its answer was delivered: a retry begins anew.';
COMMENT ON COLUMN service_retries.several IS 'More than one client may have sent the request, which names no conversation: nobody knows whose a retry is, and it begins anew.';

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION service_admit(of_service text, of_key text, per_minute int, send text, consumer bigint, most int, budget bigint) RETURNS bigint[] LANGUAGE plpgsql AS $$
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
    IF send = '' THEN
        RETURN ARRAY[0, 0, 0]::bigint[]; -- it only reads
    END IF;
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
COMMENT ON FUNCTION service_admit IS 'Admits a request of a key, and the message that it sends: {verdict, milliseconds until it may be tried again, the limit}. Verdicts: 0 admitted, 1 too many requests in a minute, 2 too many messages at once, 3 the tokens of the day are used up. Requests of one key are admitted one after the other, so that none exceeds a limit beside others.';

DROP INDEX service_retries_by_time;
DELETE FROM service_retries WHERE conversation_id IS NULL OR send_id IS NULL OR several;
ALTER TABLE service_retries DROP COLUMN several;
ALTER TABLE service_retries ALTER COLUMN conversation_id SET NOT NULL;
ALTER TABLE service_retries ALTER COLUMN send_id SET NOT NULL;
ALTER TABLE service_rates DROP COLUMN unread_at;
