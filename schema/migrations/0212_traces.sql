-- +goose Up
-- Traces of turns for operators, and ratings of replies.

ALTER TABLE steps
    ADD COLUMN model          text NOT NULL DEFAULT '',
    ADD COLUMN response_model text NOT NULL DEFAULT '',
    ADD COLUMN asked_at       timestamptz,
    ADD COLUMN first_token_ms int,
    ADD COLUMN attempts       int  NOT NULL DEFAULT 0;
COMMENT ON COLUMN steps.model IS 'Model that was called, provider/model, also where it did not answer; empty: none was.';
COMMENT ON COLUMN steps.response_model IS 'Model that answered, as the provider names it; empty: the provider did not say.';
COMMENT ON COLUMN steps.asked_at IS 'When the last attempt sent its request; NULL: none did.';
COMMENT ON COLUMN steps.first_token_ms IS 'Milliseconds from asked_at to the first piece of the answer; NULL: there was none.';
COMMENT ON COLUMN steps.attempts IS 'Attempts of the step: the first one, retries after failures of the provider, and resumptions after a kill. 0: not recorded.';

ALTER TABLE tool_calls ADD COLUMN attempts int NOT NULL DEFAULT 0;
COMMENT ON COLUMN tool_calls.attempts IS 'How often the call began, with resumptions after a kill. 0: it never began, or before attempts were recorded.';

CREATE TABLE trace_targets (
    name       text        PRIMARY KEY CHECK (name IN ('otlp', 'langfuse')),
    enabled    boolean     NOT NULL,
    endpoint   text        NOT NULL CHECK (octet_length(endpoint) <= 512),
    public_key text        NOT NULL DEFAULT '',
    secrets    bytea,
    key_hint   text        NOT NULL DEFAULT '',
    content    boolean     NOT NULL DEFAULT false,
    revision   bigint      NOT NULL DEFAULT 1,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL
);
COMMENT ON TABLE trace_targets IS 'Collectors that traces of turns are exported to, as administrators configured them. A row prevails over the environment, also one that is not enabled. Written by /api/tracing.';
COMMENT ON COLUMN trace_targets.endpoint IS 'Base address: the exporter appends /v1/traces for otlp and /api/public for langfuse.';
COMMENT ON COLUMN trace_targets.secrets IS 'Headers of otlp or the secret key of langfuse, sealed with the key of the installation; NULL: none.';
COMMENT ON COLUMN trace_targets.key_hint IS 'End of the secret, by which administrators recognize it.';
COMMENT ON COLUMN trace_targets.content IS 'Whether spans contain prompts, replies, arguments and results.';
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON trace_targets
    FOR EACH ROW EXECUTE FUNCTION note_change('tracing', '', 'name', 'enabled endpoint public_key content', 'secrets', 'changed_by');

CREATE TABLE trace_exports (
    target     text        NOT NULL,
    kind       text        NOT NULL CHECK (kind IN ('turn', 'score')),
    turn_id    text        NOT NULL REFERENCES turns ON DELETE CASCADE,
    message_id bigint      NOT NULL DEFAULT 0,
    user_id    bigint      NOT NULL DEFAULT 0,
    generation int         NOT NULL DEFAULT 1,
    attempts   int         NOT NULL DEFAULT 0,
    due_at     timestamptz NOT NULL DEFAULT now(),
    problem    text        NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (target, kind, turn_id, message_id, user_id)
);
CREATE INDEX trace_exports_due ON trace_exports (target, due_at);
CREATE INDEX trace_exports_by_turn ON trace_exports (turn_id);
COMMENT ON TABLE trace_exports IS 'Traces of turns and ratings that a target has not received yet. Written by the transaction that ends the turn or changes the rating, while the target is configured; deleted by the exporter after the target has accepted it, or when it is too old.';
COMMENT ON COLUMN trace_exports.generation IS 'Grows when a rating changes while it waits, so that the exporter deletes only what it sent.';
COMMENT ON COLUMN trace_exports.due_at IS 'When it is exported next: an exporter that takes the row moves it into the future, and the row is due again if that exporter dies.';
COMMENT ON COLUMN trace_exports.problem IS 'Why the last attempt failed; empty: none did.';

CREATE TABLE reply_ratings (
    message_id  bigint      NOT NULL REFERENCES messages ON DELETE CASCADE,
    user_id     bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
    session_key text        NOT NULL REFERENCES sessions ON DELETE CASCADE,
    helpful     boolean     NOT NULL,
    comment     text        NOT NULL DEFAULT '' CHECK (octet_length(comment) <= 4000),
    rated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (message_id, user_id)
);
CREATE INDEX reply_ratings_by_session ON reply_ratings (session_key, user_id);
CREATE INDEX reply_ratings_by_user ON reply_ratings (user_id);
CREATE INDEX reply_ratings_newest ON reply_ratings (rated_at DESC);
COMMENT ON TABLE reply_ratings IS 'Ratings of replies, one a user and reply. Written by /api/sessions/{key}/messages/{id}/rating.';

-- +goose Down
DROP TABLE reply_ratings, trace_exports, trace_targets;
ALTER TABLE tool_calls DROP COLUMN attempts;
ALTER TABLE steps DROP COLUMN model, DROP COLUMN response_model, DROP COLUMN asked_at, DROP COLUMN first_token_ms, DROP COLUMN attempts;
