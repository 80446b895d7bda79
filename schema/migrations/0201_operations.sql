-- +goose Up
-- Operations: settings of the installation, its keys, the record of changes, notices, and crashes.

CREATE TABLE settings (
    key        text        PRIMARY KEY,
    value      text        NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE settings IS 'Facts of the installation that every process must agree on. Written at first start.';

CREATE TABLE sealing_keys (
    id         text        PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz
);
COMMENT ON TABLE sealing_keys IS 'Keys of the installation that secrets were sealed with, by a name that tells nothing of the key. With one that is retired nothing is sealed any more. Written by whoever stores a sealed secret, and by xbot key rotate.';

CREATE TABLE payload_keys (
    id         text        PRIMARY KEY,
    sealed     bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE payload_keys IS 'Keys that payloads in Temporal are encrypted with, each sealed with the key of the installation: so a change of that key leaves running histories readable. The newest encrypts, all decrypt. Written by the first process that starts with XBOT_TEMPORAL_CODEC, and by xbot key.';

CREATE TABLE changes (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       text        NOT NULL,
    owner      bigint      REFERENCES users ON DELETE CASCADE,
    name       text        NOT NULL,
    before     jsonb       NOT NULL,
    after      jsonb       NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    changed_by bigint      REFERENCES users ON DELETE SET NULL
);
CREATE INDEX changes_by_owner ON changes ((coalesce(owner, 0)), kind, id);
COMMENT ON TABLE changes IS 'Who changed which setting, when, and what was before. Written by triggers (note_change) in the transaction of each change; the oldest go.';
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, sandbox, subscription, key, mcp, provider, account, channel, access, person, invite, deletion, schedule, trigger, role, variable, service, service_key.';
COMMENT ON COLUMN changes.owner IS 'Whose it is; null: the installation''s.';
COMMENT ON COLUMN changes.before IS 'The columns that changed, as they were; none of something new. Of secrets only that there was one.';
COMMENT ON COLUMN changes.after IS 'The columns that changed, as they are; none of something that was removed. Of secrets only that there is a new one.';
COMMENT ON COLUMN changes.changed_by IS 'Null: an operator, with the xbot command, xbot itself, or somebody who is gone.';

-- +goose StatementBegin
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kind    text   := TG_ARGV[0];
    hidden  text[] := string_to_array(TG_ARGV[4], ' ');
    was     jsonb  := CASE WHEN TG_OP = 'INSERT' THEN '{}'::jsonb ELSE to_jsonb(OLD) END;
    stands  jsonb  := CASE WHEN TG_OP = 'DELETE' THEN '{}'::jsonb ELSE to_jsonb(NEW) END;
    it      jsonb  := CASE WHEN TG_OP = 'DELETE' THEN was ELSE stands END;
    owned   bigint := (it ->> TG_ARGV[1])::bigint;
    actor   bigint := coalesce(nullif(current_setting('xbot.by', true), '')::bigint, (stands ->> TG_ARGV[5])::bigint,
                               CASE WHEN kind <> 'person' THEN owned END);
    before  jsonb  := '{}';
    after   jsonb  := '{}';
    col     text;
    a       jsonb;
    b       jsonb;
BEGIN
    IF owned IS NOT NULL AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = owned) THEN
        RETURN NULL; -- it goes with its owner, and so does what is known of it
    END IF;
    FOREACH col IN ARRAY string_to_array(TG_ARGV[3], ' ') || hidden LOOP
        a := nullif(nullif(was -> col, 'null'), '""');
        b := nullif(nullif(stands -> col, 'null'), '""');
        CONTINUE WHEN a IS NOT DISTINCT FROM b;
        IF col = ANY (hidden) THEN
            a := CASE WHEN a IS NOT NULL THEN '"set"'::jsonb END;
            b := CASE WHEN b IS NOT NULL THEN '"new"'::jsonb END;
        END IF;
        IF a IS NOT NULL THEN
            before := before || jsonb_build_object(col, CASE WHEN length(a::text) > 4000 THEN to_jsonb(left(a::text, 4000) || '…') ELSE a END);
        END IF;
        IF b IS NOT NULL THEN
            after := after || jsonb_build_object(col, CASE WHEN length(b::text) > 4000 THEN to_jsonb(left(b::text, 4000) || '…') ELSE b END);
        END IF;
    END LOOP;
    IF before = '{}' AND after = '{}' THEN
        RETURN NULL;
    END IF;
    INSERT INTO changes (kind, owner, name, before, after, changed_by)
    SELECT kind, owned, left(coalesce(string_agg(nullif(it ->> n.col, ''), ' ' ORDER BY n.i), ''), 300), before, after, (SELECT u.id FROM users u WHERE u.id = actor)
    FROM unnest(string_to_array(TG_ARGV[2], ' ')) WITH ORDINALITY AS n(col, i);
    DELETE FROM changes c
    WHERE coalesce(c.owner, 0) = coalesce(owned, 0) AND c.kind = TG_ARGV[0] AND c.id <= (
        SELECT o.id FROM changes o WHERE coalesce(o.owner, 0) = coalesce(owned, 0) AND o.kind = TG_ARGV[0]
        ORDER BY o.id DESC OFFSET CASE WHEN owned IS NULL THEN 5000 ELSE 300 END LIMIT 1);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
COMMENT ON FUNCTION note_change IS 'Notes a change in changes. Its arguments are the kind, the column with the owner (empty: the installation), the columns that name what has changed, those that are kept, those of which is kept only that they changed, and the one that says who did it. xbot.by, which transactions of the API set, comes first.';

CREATE TABLE policies (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    body       jsonb       NOT NULL,
    changed_by bigint      REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    transfers  text[]      NOT NULL DEFAULT '{}'
);
COMMENT ON TABLE policies IS 'How conversations are named, routed, queued, reset, delivered and limited: the policy document, every version of it, the newest in force. Written by the policy API and xbot policy; read by every process within a second.';
COMMENT ON COLUMN policies.transfers IS 'Names of identityLinks whose account this version gave to other ids, as the administrator who changed it confirmed.';

CREATE TABLE turn_notices (
    user_id       bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    channel       text   NOT NULL,
    account       text   NOT NULL,
    peer          text   NOT NULL,
    after_seconds int    NOT NULL CHECK (after_seconds BETWEEN 10 AND 86400)
);
COMMENT ON TABLE turn_notices IS 'Where on a platform people want to be told of long turns that they began on the page, in a terminal or over HTTP: an identity of theirs. Written by their settings; without a row nobody is told. One whose identity is not theirs any more counts for nothing.';
COMMENT ON COLUMN turn_notices.after_seconds IS 'How long a turn takes at least that is told of.';

CREATE TABLE told_once (
    topic   text        NOT NULL CHECK (topic IN ('door', 'cause', 'group', 'files', 'unlisted')),
    channel text        NOT NULL,
    account text        NOT NULL,
    about   text        NOT NULL,
    what    text        NOT NULL,
    asked   text        NOT NULL DEFAULT '',
    told_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, channel, account, about)
);
CREATE INDEX told_once_by_age ON told_once (told_at);
COMMENT ON TABLE told_once IS 'Sentences that are said once and then at most daily: to a stranger at the door, to the administrator of a cause. Written before one is said by who says it; rows older than two days are removed by the next one. A sentence that is never repeated is told_at infinity.';
COMMENT ON COLUMN told_once.about IS 'Who or what: the id of a person on the platform (door, files), of a chat (group), a part of the server (cause).';
COMMENT ON COLUMN told_once.what IS 'Which sentence it was: another one is said at once.';
COMMENT ON COLUMN told_once.asked IS 'Id of the message that it answers: a message that the platform brings again is answered again.';

CREATE TABLE paused_runs (
    run_id  text        PRIMARY KEY,
    told_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE paused_runs IS 'Runs of deliveries and jobs that somebody paused in the Temporal UI and of which a person was told. Written by the ingress, which removes the row once the run goes on.';

CREATE TABLE crashed_attempts (
    workflow_id text        NOT NULL,
    activity    text        NOT NULL,
    input       text        NOT NULL,
    run_id      text        NOT NULL,
    version     text        NOT NULL,
    crashes     integer     NOT NULL,
    alone       integer     NOT NULL,
    kills       integer     NOT NULL,
    cause       text        NOT NULL,
    journal     text        NOT NULL,
    last_at     timestamptz NOT NULL DEFAULT now(),
    killed_at   timestamptz NOT NULL DEFAULT now(),
    given_up_at timestamptz,
    PRIMARY KEY (workflow_id, activity, input)
);
CREATE INDEX crashed_attempts_last ON crashed_attempts (last_at);
COMMENT ON TABLE crashed_attempts IS 'Calls of activities during which a worker process died, written by package crash when the next process starts. A call that ends well is deleted; one that crashed too often is given up.';
COMMENT ON COLUMN crashed_attempts.input IS 'JSON of the references that the activity was given, never what people wrote.';
COMMENT ON COLUMN crashed_attempts.crashes IS 'How often the process crashed (a fault of the program, or a lack of memory) while the call ran, by this version.';
COMMENT ON COLUMN crashed_attempts.alone IS 'In how many of the crashes no other call ran that was part of one before.';
COMMENT ON COLUMN crashed_attempts.kills IS 'How often the process ended while the call ran without being blamed for it, such as by a kill from outside, within an hour of each other.';
COMMENT ON COLUMN crashed_attempts.journal IS 'The journal that was counted last, so that none counts twice.';
COMMENT ON COLUMN crashed_attempts.last_at IS 'The last crash, or the first kill.';

-- Changes of the tables of users are noted, too.
CREATE TRIGGER note_made AFTER INSERT ON users
    FOR EACH ROW WHEN (NEW.kind = 'person' AND NOT NEW.met) EXECUTE FUNCTION note_change('person', 'id', 'name', 'name role', 'password_hash', '');
CREATE TRIGGER note_change AFTER UPDATE OF role, disabled_at, password_hash ON users
    FOR EACH ROW WHEN (NEW.kind = 'person') EXECUTE FUNCTION note_change('person', 'id', 'name', 'role disabled_at', 'password_hash', '');
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF expires_at ON invites
    FOR EACH ROW EXECUTE FUNCTION note_change('invite', '', 'id note', 'role uses expires_at', '', 'made_by');
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revoked_at ON api_tokens
    FOR EACH ROW EXECUTE FUNCTION note_change('token', 'user_id', 'name', 'scope expires_at revoked_at', '', '');
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF value ON user_settings
    FOR EACH ROW EXECUTE FUNCTION note_change('preference', 'user_id', 'key', 'value', '', '');
CREATE TRIGGER note_change AFTER INSERT OR DELETE ON access_grants
    FOR EACH ROW EXECUTE FUNCTION note_change('access', '', 'channel account peer', 'name', '', 'granted_by');
CREATE TRIGGER note_change AFTER INSERT ON deletions
    FOR EACH ROW EXECUTE FUNCTION note_change('deletion', '', 'name', 'conversations', '', 'asked_by');

-- +goose Down
DROP TRIGGER note_made ON users;
DROP TRIGGER note_change ON users;
DROP TRIGGER note_change ON invites;
DROP TRIGGER note_change ON api_tokens;
DROP TRIGGER note_change ON user_settings;
DROP TRIGGER note_change ON access_grants;
DROP TRIGGER note_change ON deletions;
DROP TABLE crashed_attempts, paused_runs, told_once, turn_notices, policies;
DROP FUNCTION note_change;
DROP TABLE changes, payload_keys, sealing_keys, settings;
