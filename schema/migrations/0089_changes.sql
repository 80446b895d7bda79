-- +goose Up
CREATE TABLE changes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
COMMENT ON COLUMN changes.kind IS 'What sort of setting: preference, permission, token, runner, subscription, key, channel, access, person, invite, deletion, schedule, trigger, role.';
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

CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF value ON user_settings
    FOR EACH ROW EXECUTE FUNCTION note_change('preference', 'user_id', 'key', 'value', '', '');
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF rule ON tool_permissions
    FOR EACH ROW EXECUTE FUNCTION note_change('permission', 'user_id', 'tool pattern', 'rule', '', '');
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revoked_at ON api_tokens
    FOR EACH ROW EXECUTE FUNCTION note_change('token', 'user_id', 'name', 'scope expires_at revoked_at', '', '');
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF token_hash, revoked_at, name ON runners
    FOR EACH ROW WHEN (NEW.name NOT IN ('local', '__docker__')) EXECUTE FUNCTION note_change('runner', 'user_id', 'name', 'name revoked_at', 'token_hash', '');
-- A new revision, and not a key that was sealed anew.
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON llm_subscriptions
    FOR EACH ROW EXECUTE FUNCTION note_change('subscription', 'user_id', 'name', 'name provider api_type base_url models enabled', 'secrets', 'changed_by');
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON tool_keys
    FOR EACH ROW EXECUTE FUNCTION note_change('key', 'user_id', 'service', 'base_url model', 'secrets', 'changed_by');
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF revision ON channel_accounts
    FOR EACH ROW EXECUTE FUNCTION note_change('channel', '', 'channel account', 'enabled settings', 'secrets', 'changed_by');
CREATE TRIGGER note_change AFTER INSERT OR DELETE ON access_grants
    FOR EACH ROW EXECUTE FUNCTION note_change('access', '', 'channel account peer', 'name', '', 'granted_by');
CREATE TRIGGER note_made AFTER INSERT ON users
    FOR EACH ROW WHEN (NEW.kind = 'person' AND NOT NEW.met) EXECUTE FUNCTION note_change('person', 'id', 'name', 'name role', 'password_hash', '');
CREATE TRIGGER note_change AFTER UPDATE OF role, disabled_at, password_hash ON users
    FOR EACH ROW WHEN (NEW.kind = 'person') EXECUTE FUNCTION note_change('person', 'id', 'name', 'role disabled_at', 'password_hash', '');
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF expires_at ON invites
    FOR EACH ROW EXECUTE FUNCTION note_change('invite', '', 'id note', 'role uses expires_at', '', 'made_by');
CREATE TRIGGER note_change AFTER INSERT ON deletions
    FOR EACH ROW EXECUTE FUNCTION note_change('deletion', '', 'name', 'conversations', '', 'asked_by');
-- A job that ends by itself was changed by nobody, and heartbeats follow the policy.
CREATE TRIGGER note_made AFTER INSERT ON cron_jobs
    FOR EACH ROW WHEN (NEW.heartbeat = '') EXECUTE FUNCTION note_change('schedule', 'user_id', 'name', 'name message kind expr every_s at zone target deliver model think missed max_runs state', '', '');
CREATE TRIGGER note_change AFTER UPDATE OF name, message, kind, expr, every_s, at, zone, target, deliver, model, think, missed, max_runs, state ON cron_jobs
    FOR EACH ROW WHEN (NEW.heartbeat = '' AND NEW.state <> 'done')
    EXECUTE FUNCTION note_change('schedule', 'user_id', 'name', 'name message kind expr every_s at zone target deliver model think missed max_runs state', '', '');
-- A trigger that is used up was switched off by nobody. Its secret alone is written when it is sealed anew.
CREATE TRIGGER note_made AFTER INSERT OR DELETE ON triggers
    FOR EACH ROW EXECUTE FUNCTION note_change('trigger', 'user_id', 'name', 'name source session_key answer_in template one_shot per_minute enabled', 'secret', '');
CREATE TRIGGER note_change AFTER UPDATE OF name, session_key, answer_in, template, one_shot, per_minute, enabled ON triggers
    FOR EACH ROW WHEN (NEW.fired_at IS NOT DISTINCT FROM OLD.fired_at)
    EXECUTE FUNCTION note_change('trigger', 'user_id', 'name', 'name session_key answer_in template one_shot per_minute enabled', 'secret', '');
CREATE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE OF enabled ON agent_role_switches
    FOR EACH ROW EXECUTE FUNCTION note_change('role', 'user_id', 'key', 'enabled', '', 'changed_by');
CREATE TRIGGER note_change AFTER DELETE ON agent_roles
    FOR EACH ROW EXECUTE FUNCTION note_change('role', 'user_id', 'key', 'key', '', '');

COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source, language, model, a model for each tier, preset, memory, soul, titles, theme, page_language. Written by /api/preferences, /api/runners, /api/models, /api/permissions and by commands; each change is kept in changes.';

-- +goose Down
DROP TRIGGER note_change ON user_settings;
DROP TRIGGER note_change ON tool_permissions;
DROP TRIGGER note_change ON api_tokens;
DROP TRIGGER note_change ON runners;
DROP TRIGGER note_change ON llm_subscriptions;
DROP TRIGGER note_change ON tool_keys;
DROP TRIGGER note_change ON channel_accounts;
DROP TRIGGER note_change ON access_grants;
DROP TRIGGER note_made ON users;
DROP TRIGGER note_change ON users;
DROP TRIGGER note_change ON invites;
DROP TRIGGER note_change ON deletions;
DROP TRIGGER note_made ON cron_jobs;
DROP TRIGGER note_change ON cron_jobs;
DROP TRIGGER note_made ON triggers;
DROP TRIGGER note_change ON triggers;
DROP TRIGGER note_change ON agent_role_switches;
DROP TRIGGER note_change ON agent_roles;
DROP FUNCTION note_change;
DROP TABLE changes;
COMMENT ON TABLE user_settings IS 'What a person chose for themselves: active_runner, llm_source, language, model, and a model for each tier. Written by /api/runners, /api/models and by commands.';
