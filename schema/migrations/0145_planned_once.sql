-- +goose Up
-- Postgres plans the body of an SQL function with a sub-select at every call, and that of a PL/pgSQL function once for a connection.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION may_answer(owner bigint, who bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN owner = who OR EXISTS (
        SELECT 1 FROM users o, users w
        WHERE o.id = owner AND o.kind = 'group' AND w.id = who AND w.role = 'admin' AND w.kind = 'person'
    );
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION may_reply(owner bigint, who bigint, turn text, asks boolean) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN may_answer(owner, who) OR asks AND EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = turn AND i.user_id = who);
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION may_decide(owner bigint, who bigint, turn text, asks boolean, hook text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE WHEN hook = 'deferred' THEN EXISTS (SELECT 1 FROM users w WHERE w.id = who AND w.role = 'admin' AND w.kind = 'person')
                ELSE may_reply(owner, who, turn, asks) END;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION cron_held(j cron_jobs) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN j.service_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM services s JOIN users a ON a.id = s.admin_id JOIN users o ON o.id = j.user_id
        WHERE s.id = j.service_id AND s.published AND s.deleted_at IS NULL AND a.role = 'admin' AND a.disabled_at IS NULL AND o.disabled_at IS NULL
          AND (o.role = 'admin' OR o.kind = 'consumer' AND s.definition -> 'capabilities' ? 'scheduler' AND EXISTS (
              SELECT FROM service_conversations c JOIN service_keys k ON k.id = c.key_id WHERE c.user_id = o.id AND k.revoked_at IS NULL))
    );
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION service_spent(s services) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((s.definition #>> '{limits,tokens_per_day}')::bigint, 0) > 0 AND (s.definition #>> '{limits,tokens_per_day}')::bigint <= (
        SELECT coalesce(sum(t.prompt_tokens + t.completion_tokens), 0) FROM service_tokens t
        WHERE t.service_id = s.id AND t.day = (now() AT TIME ZONE 'UTC')::date);
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION may_answer(owner bigint, who bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT owner = who OR EXISTS (
        SELECT 1 FROM users o, users w
        WHERE o.id = owner AND o.kind = 'group' AND w.id = who AND w.role = 'admin' AND w.kind = 'person'
    )
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION may_reply(owner bigint, who bigint, turn text, asks boolean) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT may_answer(owner, who) OR asks AND EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = turn AND i.user_id = who)
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION may_decide(owner bigint, who bigint, turn text, asks boolean, hook text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN hook = 'deferred' THEN EXISTS (SELECT 1 FROM users w WHERE w.id = who AND w.role = 'admin' AND w.kind = 'person')
                ELSE may_reply(owner, who, turn, asks) END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION cron_held(j cron_jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT j.service_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM services s JOIN users a ON a.id = s.admin_id JOIN users o ON o.id = j.user_id
        WHERE s.id = j.service_id AND s.published AND s.deleted_at IS NULL AND a.role = 'admin' AND a.disabled_at IS NULL AND o.disabled_at IS NULL
          AND (o.role = 'admin' OR o.kind = 'consumer' AND s.definition -> 'capabilities' ? 'scheduler' AND EXISTS (
              SELECT FROM service_conversations c JOIN service_keys k ON k.id = c.key_id WHERE c.user_id = o.id AND k.revoked_at IS NULL))
    )
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION service_spent(s services) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce((s.definition #>> '{limits,tokens_per_day}')::bigint, 0) > 0 AND (s.definition #>> '{limits,tokens_per_day}')::bigint <= (
        SELECT coalesce(sum(t.prompt_tokens + t.completion_tokens), 0) FROM service_tokens t
        WHERE t.service_id = s.id AND t.day = (now() AT TIME ZONE 'UTC')::date)
$$;
-- +goose StatementEnd
