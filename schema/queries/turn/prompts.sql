-- name: PromptScene :one
-- What the system prompt of a turn is rendered for, and the prompt itself once that was done. Without a turn: for a look.
SELECT s.channel, (u.kind = 'group' AND s.chat_type IN ('group', 'channel', 'thread'))::boolean AS in_group, coalesce(s.origin ->> 'subject', '')::text AS subject, s.user_id, (u.kind IN ('service', 'consumer'))::boolean AS outside, s.cwd, s.cwd_runner, s.compaction_id, u.name AS user_name, u.role,
       coalesce(nullif(s.runner, ''), (SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'active_runner'), '')::text AS runner,
       coalesce((SELECT v.value FROM user_settings v WHERE v.user_id = u.id AND v.key = 'language'), '')::text AS language,
       (SELECT p.permits FROM session_permits p WHERE p.session_key = s.key)::jsonb AS permits,
       (SELECT to_jsonb(o) FROM own_prompts o WHERE o.user_id = CASE WHEN u.kind = 'group' AND s.chat_type IN ('group', 'channel', 'thread') THEN 0 ELSE u.id END)::jsonb AS own,
       coalesce((
           SELECT jsonb_agg(jsonb_build_object('key', h.key, 'source', h.source, 'body', h.body)) FROM session_parts h WHERE h.session_key = s.key
       ), '[]')::jsonb AS parts,
       frozen.body AS system, coalesce(f.content, '')::text AS profile, coalesce(f.timezone, '')::text AS timezone
FROM sessions s
JOIN users u ON u.id = s.user_id
LEFT JOIN turns t ON t.id = sqlc.arg(turn_id)
LEFT JOIN prompts frozen ON frozen.hash = t.system_hash
LEFT JOIN user_profiles f ON f.user_id = s.user_id AND coalesce(t.user_id, s.user_id) = s.user_id -- who writes in a conversation of another one is not told
WHERE s.key = sqlc.arg(session_key);

-- name: PromptFreeze :one
-- Keeps the system prompt of a turn and the parts that were read for it. The first one that is kept stands; no row: the turn is
-- closed.
-- Lazily, it does not wait for the disk, as StepBegin does not: a prompt that is lost in a crash is kept again with the end of its step.
WITH saved AS (
    INSERT INTO prompts (hash, body) VALUES (sqlc.arg(hash)::bytea, sqlc.arg(body)::text) ON CONFLICT (hash) DO NOTHING
), held AS (
    INSERT INTO session_parts (session_key, key, source, body)
    SELECT sqlc.arg(session_key), k.key, r.source, b.body
    FROM unnest(sqlc.arg(keys)::text[]) WITH ORDINALITY AS k(key, i)
    JOIN unnest(sqlc.arg(sources)::text[]) WITH ORDINALITY AS r(source, i) ON r.i = k.i
    JOIN unnest(sqlc.arg(bodies)::text[]) WITH ORDINALITY AS b(body, i) ON b.i = k.i
    ON CONFLICT (session_key, key) DO UPDATE SET source = EXCLUDED.source, body = EXCLUDED.body, created_at = now()
)
UPDATE turns SET system_hash = coalesce(turns.system_hash, sqlc.arg(hash)::bytea)
WHERE turns.id = sqlc.arg(turn_id) AND turns.state = 'running'
    AND set_config('synchronous_commit', CASE WHEN sqlc.arg(lazily)::boolean THEN 'off' ELSE current_setting('synchronous_commit') END, true) <> ''
RETURNING turns.system_hash;

-- name: PromptBody :one
SELECT body FROM prompts WHERE hash = $1;
