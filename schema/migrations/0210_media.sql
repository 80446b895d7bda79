-- +goose Up
ALTER TABLE tool_keys
    ADD COLUMN provider text NOT NULL DEFAULT '',
    ADD COLUMN price    double precision CHECK (price >= 0);
COMMENT ON COLUMN tool_keys.provider IS 'Whose API the address speaks, such as openai or gemini; empty: the default one of the service.';
COMMENT ON COLUMN tool_keys.price IS 'USD for a picture, for a million characters of speech or for a second of video; null: the price that is known of the model.';
-- A change of the provider or the price is listed like one of the address.
DROP TRIGGER note_change ON tool_keys;
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON tool_keys
    FOR EACH ROW EXECUTE FUNCTION note_change('key', 'user_id', 'service', 'base_url model provider price', 'secrets', 'changed_by');

CREATE TABLE media_generations (
    call_id     text        PRIMARY KEY CHECK (call_id <> ''),
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    service_id  text        NOT NULL DEFAULT '',
    key_id      text        NOT NULL DEFAULT '',
    kind        text        NOT NULL CHECK (kind IN ('image', 'speech', 'video')),
    provider    text        NOT NULL,
    base_url    text        NOT NULL,
    model       text        NOT NULL,
    units       bigint      NOT NULL CHECK (units >= 0),
    state       text        NOT NULL CHECK (state IN ('starting', 'started', 'received', 'stored', 'failed', 'unknown')),
    job         text        NOT NULL DEFAULT '',
    links       text[]      NOT NULL DEFAULT '{}',
    files       jsonb       NOT NULL DEFAULT '[]',
    problem     text        NOT NULL DEFAULT '',
    cost        double precision,
    alive_at    timestamptz NOT NULL DEFAULT now(),
    created_at  timestamptz NOT NULL DEFAULT now(),
    booked_at   timestamptz,
    ended_at    timestamptz
);
CREATE INDEX media_generations_by_session ON media_generations (session_key);
CREATE INDEX media_generations_open ON media_generations (user_id, kind) WHERE state IN ('starting', 'started', 'unknown');
CREATE INDEX media_generations_of_services ON media_generations (service_id, kind) WHERE service_id <> '' AND state IN ('starting', 'started', 'unknown');
COMMENT ON TABLE media_generations IS 'One row for each call that generates a picture, speech or a video, written before the paid request is sent, so that no attempt of the call sends it again. Written by internal/media.';
COMMENT ON COLUMN media_generations.key_id IS 'Of a consumer conversation: the key of its service.';
COMMENT ON COLUMN media_generations.units IS 'Pictures, characters of speech or seconds of video.';
COMMENT ON COLUMN media_generations.state IS 'starting: the request is being sent. started: the provider has accepted it, and every later step can be repeated. received: the files are staged. stored: they are in the conversation. failed: nothing was generated. unknown: it may have been paid for.';
COMMENT ON COLUMN media_generations.job IS 'The provider''s id of the job; empty: it has none.';
COMMENT ON COLUMN media_generations.links IS 'Addresses of the generated files at the provider.';
COMMENT ON COLUMN media_generations.files IS 'Names, media types and sizes of the files.';
COMMENT ON COLUMN media_generations.alive_at IS 'When the process that sends the request was last known to be alive.';
COMMENT ON COLUMN media_generations.booked_at IS 'When the usage was added to media_usage.';

CREATE TABLE media_staged (
    call_id text  NOT NULL REFERENCES media_generations ON DELETE CASCADE,
    file    int   NOT NULL,
    part    int   NOT NULL,
    data    bytea NOT NULL,
    PRIMARY KEY (call_id, file, part)
);
ALTER TABLE media_staged ALTER COLUMN data SET STORAGE EXTERNAL;
COMMENT ON TABLE media_staged IS 'Generated files in parts, from their arrival until the conversation has them. Written by internal/media, deleted by the statement that marks the generation as stored.';

CREATE TABLE media_usage (
    user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    day         date   NOT NULL,
    kind        text   NOT NULL CHECK (kind IN ('image', 'speech', 'video', 'transcription', 'realtime')),
    model       text   NOT NULL,
    session_key text   NOT NULL,
    calls       bigint NOT NULL DEFAULT 0,
    units       bigint NOT NULL DEFAULT 0,
    cost        double precision,
    PRIMARY KEY (user_id, day, kind, model, session_key)
);
CREATE INDEX media_usage_by_session ON media_usage (session_key);
COMMENT ON TABLE media_usage IS 'Generated media by day (UTC), model and session. Added to in the transaction that records the result. Sessions that were deleted stay in the sums; an empty session is no conversation.';
COMMENT ON COLUMN media_usage.model IS 'provider/model.';
COMMENT ON COLUMN media_usage.units IS 'Pictures, characters of speech, or seconds of video, transcription and realtime voice.';
COMMENT ON COLUMN media_usage.cost IS 'USD, of the calls whose price is known; null: of none.';

CREATE TABLE service_media (
    service_id text   NOT NULL REFERENCES services ON DELETE CASCADE,
    day        date   NOT NULL,
    key_id     text   NOT NULL,
    kind       text   NOT NULL,
    model      text   NOT NULL,
    calls      bigint NOT NULL DEFAULT 0,
    units      bigint NOT NULL DEFAULT 0,
    cost       double precision,
    PRIMARY KEY (service_id, day, key_id, kind, model)
);
COMMENT ON TABLE service_media IS 'Media generated for the consumers of each service, by day (UTC), key and model. Added to with media_usage, and kept when a conversation is deleted.';

-- +goose StatementBegin
CREATE FUNCTION count_service_media() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before media_usage;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        before := OLD;
    END IF;
    INSERT INTO service_media AS t (service_id, day, key_id, kind, model, calls, units, cost)
    SELECT c.service_id, NEW.day, c.key_id, NEW.kind, NEW.model, NEW.calls - coalesce(before.calls, 0), NEW.units - coalesce(before.units, 0),
           CASE WHEN NEW.cost IS NOT DISTINCT FROM before.cost THEN NULL ELSE NEW.cost - coalesce(before.cost, 0) END
    FROM service_conversations c WHERE c.session_key = NEW.session_key
    ON CONFLICT (service_id, day, key_id, kind, model) DO UPDATE SET
        calls = t.calls + EXCLUDED.calls,
        units = t.units + EXCLUDED.units,
        cost  = CASE WHEN EXCLUDED.cost IS NULL THEN t.cost ELSE coalesce(t.cost, 0) + EXCLUDED.cost END;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION count_service_media IS 'Adds what a consumer conversation generated to the sums of its service.';
CREATE TRIGGER count_service_media AFTER INSERT OR UPDATE ON media_usage
    FOR EACH ROW WHEN (NEW.session_key LIKE 'agent:svc\_%') EXECUTE FUNCTION count_service_media();

-- +goose Down
DROP TRIGGER count_service_media ON media_usage;
DROP FUNCTION count_service_media;
DROP TABLE service_media, media_usage, media_staged, media_generations;
DROP TRIGGER note_change ON tool_keys;
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON tool_keys
    FOR EACH ROW EXECUTE FUNCTION note_change('key', 'user_id', 'service', 'base_url model', 'secrets', 'changed_by');
ALTER TABLE tool_keys DROP COLUMN price, DROP COLUMN provider;
