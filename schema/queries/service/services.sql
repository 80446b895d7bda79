-- name: ServicesUsing :many
-- Services of an administrator that work with a version of their system prompt (system_prompt_version_id) or of their profile (user_profile_version_id).
SELECT s.name FROM services s
WHERE s.admin_id = sqlc.arg(admin_id) AND s.deleted_at IS NULL AND (s.definition ->> sqlc.arg(member)::text)::int = sqlc.arg(version)::int
ORDER BY lower(s.name), s.id;

-- name: ServiceUserAdd :one
-- The user of a service, or of a conversation with one, which belongs to the service.
INSERT INTO users (name, role, kind, owner_id) VALUES ($1, 'member', $2, $3) RETURNING id;

-- name: ServiceAdd :exec
INSERT INTO services (id, user_id, admin_id, name, published, definition) VALUES ($1, $2, $3, $4, $5, $6);

-- name: ServiceGet :one
SELECT s.id, s.user_id, s.admin_id, s.published, s.definition, s.revision, s.created_at, s.changed_at, (a.disabled_at IS NOT NULL OR a.role <> 'admin')::boolean AS closed
FROM services s JOIN users a ON a.id = s.admin_id
WHERE s.id = $1 AND s.deleted_at IS NULL;

-- name: ServiceList :many
SELECT s.id, s.user_id, s.admin_id, s.published, s.definition, s.revision, s.created_at, s.changed_at, (a.disabled_at IS NOT NULL OR a.role <> 'admin')::boolean AS closed
FROM services s JOIN users a ON a.id = s.admin_id
WHERE s.deleted_at IS NULL
ORDER BY lower(s.name), s.id;

-- name: ServicesVersion :one
SELECT version FROM services_version;

-- name: ServiceHold :one
-- Keeps everybody else from changing the service, and from beginning conversations with it, until the transaction ends.
SELECT s.id, s.user_id, s.admin_id, s.published, s.definition, s.revision, s.created_at, s.changed_at, (a.disabled_at IS NOT NULL OR a.role <> 'admin')::boolean AS closed
FROM services s JOIN users a ON a.id = s.admin_id
WHERE s.id = $1 AND s.deleted_at IS NULL
FOR NO KEY UPDATE OF s;

-- name: ServiceSet :exec
UPDATE services SET name = $2, published = $3, definition = $4, revision = revision + 1, changed_at = now() WHERE id = $1;

-- name: ServiceEnd :exec
-- Nobody finds the service from now on, and no key of it is good.
WITH keys AS (
    UPDATE service_keys k SET revoked_at = now() WHERE k.service_id = sqlc.arg(id) AND k.revoked_at IS NULL
)
UPDATE services SET deleted_at = now(), published = false WHERE services.id = sqlc.arg(id) AND deleted_at IS NULL;

-- name: ServiceKeyAdd :one
INSERT INTO service_keys (id, service_id, name, prefix, hash) VALUES ($1, $2, $3, $4, $5) RETURNING created_at;

-- name: ServiceKeyList :many
SELECT id, service_id, name, prefix, created_at, last_used_at, revoked_at FROM service_keys WHERE service_id = $1 ORDER BY created_at, id;

-- name: ServiceKeyRevoke :execrows
UPDATE service_keys SET revoked_at = now() WHERE id = $1 AND service_id = $2 AND revoked_at IS NULL;

-- name: ServiceKeyRotate :one
-- Another secret for a key, whose conversations stay.
UPDATE service_keys SET hash = $3, prefix = $4, revision = revision + 1 WHERE id = $1 AND service_id = $2 AND revoked_at IS NULL
RETURNING name, created_at, last_used_at;

-- name: ServiceKeyFind :one
-- Whose key it is, by its hash, or by its id where there is none. Revoked ones, and those of services that are being deleted, are not found.
SELECT k.id AS key_id, k.name AS key_name, k.revision AS key_revision, k.last_used_at, s.id, s.user_id, s.admin_id, s.published, s.definition, s.revision, s.created_at, s.changed_at,
       (a.disabled_at IS NOT NULL OR a.role <> 'admin')::boolean AS closed
FROM service_keys k JOIN services s ON s.id = k.service_id JOIN users a ON a.id = s.admin_id
WHERE (k.hash = sqlc.narg(hash)::bytea OR sqlc.narg(hash)::bytea IS NULL AND k.id = sqlc.arg(key_id)) AND k.revoked_at IS NULL AND s.deleted_at IS NULL;

-- name: ServiceKeyUsed :exec
-- At most once a minute, so that a busy key is not a busy row.
UPDATE service_keys SET last_used_at = now() WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute');

-- name: ServiceConversationCount :one
-- How many conversations a service has, how many of them a key has begun, and whether other keys of the service are good.
SELECT count(*)::int AS every, (count(*) FILTER (WHERE c.key_id = sqlc.arg(key_id)::text))::int AS own,
       (EXISTS (SELECT 1 FROM service_keys k WHERE k.service_id = sqlc.arg(service_id) AND k.id <> sqlc.arg(key_id)::text AND k.revoked_at IS NULL))::boolean AS others
FROM service_conversations c JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
WHERE c.service_id = sqlc.arg(service_id);

-- name: ServiceConversationsIdle :many
-- Conversations of a service that make room for a new one, the oldest first, those of the key before others: for an hour nobody has used them,
-- nothing waits in them, and nobody would look for them, since they were begun without a name or nothing was said in them.
SELECT c.user_id FROM service_conversations c JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL JOIN sessions s ON s.key = c.session_key
WHERE c.service_id = sqlc.arg(service_id) AND (c.key_id = sqlc.arg(key_id)::text OR NOT sqlc.arg(own)::boolean)
  AND c.taken_by IS NULL AND s.last_interaction_at < now() - interval '1 hour'
  AND (c.unnamed OR NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = c.session_key) AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_key = c.session_key))
  AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_key = c.session_key AND t.state = 'running')
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = c.session_key AND i.kind <> 'stop' AND i.outcome IS NULL)
  AND NOT EXISTS (SELECT 1 FROM service_inbox_items v WHERE v.session_key = c.session_key AND v.status <> 'handled')
ORDER BY c.key_id <> sqlc.arg(key_id)::text, s.last_interaction_at, c.id
LIMIT sqlc.arg(most)::int
FOR UPDATE OF s SKIP LOCKED;

-- name: ServiceConversationAdd :exec
INSERT INTO service_conversations (session_key, id, service_id, key_id, user_id, source, external, unnamed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: ServiceConversationGet :one
-- A conversation of a key; with another key it is not found, nor is one that is being deleted.
SELECT c.id, c.service_id, c.key_id, c.session_key, c.user_id, c.source, c.external, c.created_at, s.title, s.last_interaction_at, s.feed_seq,
       (SELECT count(*) FROM messages m WHERE m.session_key = c.session_key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND m.rewound_by IS NULL)::int AS messages,
       (EXISTS (SELECT 1 FROM turns t WHERE t.session_key = c.session_key AND t.state = 'running')
        OR EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = c.session_key AND i.kind = 'message' AND i.outcome IS NULL))::boolean AS running,
       (c.taken_by IS NOT NULL)::boolean AS taken
FROM service_conversations c JOIN sessions s ON s.key = c.session_key JOIN users u ON u.id = c.user_id
WHERE c.id = sqlc.arg(id) AND c.service_id = sqlc.arg(service_id) AND (c.key_id = sqlc.arg(key_id) OR sqlc.arg(key_id)::text = '') AND u.disabled_at IS NULL;

-- name: ServiceConversationByExternal :one
SELECT c.id FROM service_conversations c JOIN users u ON u.id = c.user_id
WHERE c.key_id = $1 AND c.external = $2 AND c.external <> '' AND u.disabled_at IS NULL;

-- name: ServiceConversationFree :exec
-- A conversation that is being deleted leaves the name of its user to the next one.
UPDATE service_conversations SET external = '' WHERE user_id = $1;

-- name: ServiceConversationList :many
-- Those of a service, the newest first, for its administrators.
SELECT c.id, c.service_id, c.key_id, c.session_key, c.user_id, c.source, c.external, c.created_at, s.title, s.last_interaction_at, s.feed_seq,
       (SELECT count(*) FROM messages m WHERE m.session_key = c.session_key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND m.rewound_by IS NULL)::int AS messages,
       (EXISTS (SELECT 1 FROM turns t WHERE t.session_key = c.session_key AND t.state = 'running')
        OR EXISTS (SELECT 1 FROM inbox i WHERE i.session_key = c.session_key AND i.kind = 'message' AND i.outcome IS NULL))::boolean AS running,
       (c.taken_by IS NOT NULL)::boolean AS taken
FROM service_conversations c JOIN sessions s ON s.key = c.session_key JOIN users u ON u.id = c.user_id
WHERE c.service_id = sqlc.arg(service_id) AND u.disabled_at IS NULL AND (sqlc.narg(before)::timestamptz IS NULL OR s.last_interaction_at < sqlc.narg(before)::timestamptz)
  AND (sqlc.arg(q)::text = '' OR strpos(lower(s.title), lower(sqlc.arg(q)::text)) > 0)
ORDER BY s.last_interaction_at DESC, c.id
LIMIT sqlc.arg(n);

-- name: ServiceFigures :many
-- What administrators see of services beside what was chosen: of one, or of all.
SELECT s.id, a.name AS admin,
       (SELECT count(*) FROM service_conversations c JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL WHERE c.service_id = s.id)::int AS conversations,
       (SELECT count(*) FROM service_keys k WHERE k.service_id = s.id AND k.revoked_at IS NULL)::int AS keys,
       (SELECT k.last_used_at FROM service_keys k WHERE k.service_id = s.id AND k.last_used_at IS NOT NULL ORDER BY k.last_used_at DESC LIMIT 1) AS used_at
FROM services s JOIN users a ON a.id = s.admin_id
WHERE s.deleted_at IS NULL AND (sqlc.arg(id)::text = '' OR s.id = sqlc.arg(id)::text);

-- name: ServiceKeyCount :one
SELECT count(*)::int FROM service_keys WHERE service_id = $1 AND revoked_at IS NULL;

-- name: ServiceFollowed :one
-- The message of a conversation whose answer is the first that goes on after an event: it ended later, runs, or waits. After 0: what goes on now.
-- A task or a job has one as well, while its turn runs.
SELECT coalesce((
    SELECT m.inbox_id FROM feed_events f JOIN messages m ON m.turn_id = f.data ->> 'id' AND m.session_key = f.session_key AND m.role = 'user' AND m.inbox_id IS NOT NULL
    WHERE f.session_key = sqlc.arg(session_key) AND sqlc.arg(after)::bigint > 0 AND f.seq > sqlc.arg(after)::bigint AND f.kind = 'turn' AND f.data ->> 'state' NOT IN ('running', 'released')
    ORDER BY f.seq, m.id DESC LIMIT 1
), (
    SELECT i.id FROM inbox i LEFT JOIN turns t ON t.id = i.turn_id
    WHERE i.session_key = sqlc.arg(session_key) AND (i.kind = 'message' AND i.outcome IS NULL OR i.kind IN ('message', 'background') AND t.state = 'running')
    ORDER BY t.id IS NULL, i.id LIMIT 1
), 0)::bigint AS inbox_id;

-- name: ServiceWords :many
-- What consumers wrote, as they wrote it, of messages of a conversation.
SELECT id, coalesce(original, body)::text AS body, accepted_at FROM inbox WHERE session_key = sqlc.arg(session_key) AND id = ANY(sqlc.arg(ids)::bigint[]);

-- name: ServiceFiles :many
-- What consumers sent with messages of a conversation.
SELECT f.inbox_id::bigint AS inbox_id, f.n, f.name, f.size, f.path, f.picture FROM inbox_files f JOIN inbox i ON i.id = f.inbox_id
WHERE i.session_key = sqlc.arg(session_key) AND i.id = ANY(sqlc.arg(ids)::bigint[])
ORDER BY f.inbox_id, f.n;

-- name: ServiceTurnStates :many
SELECT id, state FROM turns WHERE session_key = sqlc.arg(session_key) AND id = ANY(sqlc.arg(ids)::text[]);

-- name: ServiceStorageGet :one
-- Of which conversation with a service a user is the consumer, and on which runner its files are. Of others only the kind is told. A service that
-- is being deleted, or whose administrator is shut out or none any more, has no rooms.
SELECT u.kind, coalesce(c.session_key, '')::text AS session_key, coalesce(c.id, '')::text AS conversation_id, coalesce(s.id, '')::text AS service_id,
       coalesce(s.admin_id, 0)::bigint AS admin_id, coalesce(s.definition, '{}')::jsonb AS definition, coalesce(r.runner, '')::text AS runner, coalesce(r.storage, '')::text AS storage, (coalesce(r.move_to, '') <> '')::boolean AS moving
FROM users u
LEFT JOIN service_conversations c ON c.user_id = u.id AND u.disabled_at IS NULL
LEFT JOIN services s ON s.id = c.service_id AND s.deleted_at IS NULL AND EXISTS (SELECT 1 FROM users a WHERE a.id = s.admin_id AND a.role = 'admin' AND a.disabled_at IS NULL)
LEFT JOIN service_rooms r ON r.user_id = u.id
WHERE u.id = sqlc.arg(id);

-- name: ServiceStorageKeep :one
-- The runner on which the files of a consumer's conversation are from now on: the one that was kept before, unless it is the one to be left.
INSERT INTO service_rooms (user_id, service_id, conversation_id, admin_id, runner)
SELECT c.user_id, c.service_id, c.id, s.admin_id, sqlc.arg(runner) FROM service_conversations c JOIN services s ON s.id = c.service_id
WHERE c.user_id = sqlc.arg(id)
ON CONFLICT (user_id) DO UPDATE SET
    runner            = CASE service_rooms.runner WHEN sqlc.arg(leave)::text THEN excluded.runner ELSE service_rooms.runner END,
    generated_bytes   = CASE service_rooms.runner WHEN sqlc.arg(leave)::text THEN 0 ELSE service_rooms.generated_bytes END,
    attachments_bytes = CASE service_rooms.runner WHEN sqlc.arg(leave)::text THEN 0 ELSE service_rooms.attachments_bytes END
WHERE service_rooms.storage = ''
RETURNING runner;

-- name: ServiceStorageKeepBackend :one
-- Stores that object storage has the files of a consumer's conversation, unless a place is stored already.
INSERT INTO service_rooms (user_id, service_id, conversation_id, admin_id, runner, storage, stored_in)
SELECT c.user_id, c.service_id, c.id, s.admin_id, '', sqlc.arg(storage)::text, ARRAY[sqlc.arg(storage)::text] FROM service_conversations c JOIN services s ON s.id = c.service_id
WHERE c.user_id = sqlc.arg(id)
ON CONFLICT (user_id) DO UPDATE SET storage = service_rooms.storage
RETURNING runner, storage;

-- name: ServiceStorageFreeze :execrows
-- Starts the moves of conversations that are elsewhere than the target. A conversation waits while earlier files of it at the target are not deleted.
UPDATE service_rooms r SET move_to = sqlc.arg(target)::text, move_at = now(), move_error = '',
    stored_in = CASE WHEN sqlc.arg(target)::text = 'local' OR sqlc.arg(target)::text = ANY(r.stored_in) THEN r.stored_in ELSE r.stored_in || sqlc.arg(target)::text END
WHERE r.user_id IN (
    SELECT o.user_id FROM service_rooms o
    WHERE o.move_to = '' AND o.left_runner = '' AND o.move_at <= now() AND coalesce(nullif(o.storage, ''), 'local') <> sqlc.arg(target)::text
      AND NOT EXISTS (SELECT 1 FROM storage_deletions d WHERE d.key = o.admin_id || '/svc/' || o.service_id || '/' || o.conversation_id || '/')
    ORDER BY o.user_id LIMIT sqlc.arg(n) FOR UPDATE SKIP LOCKED
);

-- name: ServiceStorageToMove :many
-- Conversations that have been moving for so long that no write that began before is under way.
SELECT user_id, service_id, conversation_id, admin_id, runner, storage, move_at FROM service_rooms
WHERE move_to = sqlc.arg(target)::text AND move_at <= now() - sqlc.arg(after)::interval ORDER BY user_id LIMIT sqlc.arg(n);

-- name: ServiceStorageCopy :execrows
-- A runner is about to get copies of the files of a conversation.
UPDATE service_rooms SET left_runner = sqlc.arg(runner) WHERE user_id = sqlc.arg(id) AND move_to <> '' AND move_at = sqlc.arg(move_at);

-- name: ServiceStorageMoved :execrows
-- The files of a conversation are at the target now. Copies that object storage had are deleted; a runner's are deleted by the migration.
WITH moved AS (
    UPDATE service_rooms r SET storage = sqlc.arg(storage)::text, runner = sqlc.arg(runner)::text, move_to = '', left_runner = o.runner
    FROM service_rooms o WHERE o.user_id = r.user_id AND r.user_id = sqlc.arg(id) AND r.move_to = sqlc.arg(target)::text AND r.move_at = sqlc.arg(move_at)
    RETURNING o.storage, o.admin_id || '/svc/' || o.service_id || '/' || o.conversation_id || '/' AS key
), old AS (
    INSERT INTO storage_deletions (storage, key) SELECT moved.storage, moved.key FROM moved WHERE moved.storage <> ''
)
SELECT 1 FROM moved;

-- name: ServiceStorageMoveFailed :exec
-- The move of a conversation failed: its files are writable again, and a later step retries.
UPDATE service_rooms SET move_to = '', move_at = now() + sqlc.arg(after)::interval, move_error = sqlc.arg(problem)
WHERE user_id = sqlc.arg(id) AND move_to <> '' AND move_at = sqlc.arg(move_at);

-- name: ServiceStorageUnfreeze :exec
UPDATE service_rooms SET move_to = '', move_at = now() WHERE move_to <> '';

-- name: ServiceStorageLeftovers :many
-- Conversations of which a runner still has a copy.
SELECT user_id, service_id, conversation_id, admin_id, left_runner FROM service_rooms
WHERE left_runner <> '' AND move_to = '' AND move_at <= now() ORDER BY user_id LIMIT sqlc.arg(n);

-- name: ServiceStorageLeftoverGone :exec
UPDATE service_rooms SET left_runner = '' WHERE user_id = $1;

-- name: ServiceStorageLeftoverLater :exec
UPDATE service_rooms SET move_at = now() + sqlc.arg(after)::interval WHERE user_id = sqlc.arg(id);

-- name: ServiceStorageProgress :one
-- The progress of a migration to a target.
SELECT count(*)::int AS conversations,
       count(*) FILTER (WHERE coalesce(nullif(storage, ''), 'local') <> sqlc.arg(target)::text)::int AS remaining,
       count(*) FILTER (WHERE move_error <> '' AND coalesce(nullif(storage, ''), 'local') <> sqlc.arg(target)::text)::int AS failed,
       count(*) FILTER (WHERE left_runner <> '')::int AS leftovers,
       coalesce(max(move_error), '')::text AS problem
FROM service_rooms;

-- name: ServiceStorageHolds :one
-- Notes how much lies in a folder of a consumer's room, and counts what the rooms of its service hold together.
WITH room AS (
    UPDATE service_rooms r SET
        generated_bytes   = CASE WHEN sqlc.arg(sent)::boolean THEN r.generated_bytes ELSE sqlc.arg(bytes)::bigint END,
        attachments_bytes = CASE WHEN sqlc.arg(sent)::boolean THEN sqlc.arg(bytes)::bigint ELSE r.attachments_bytes END
    WHERE r.user_id = sqlc.arg(id)
    RETURNING r.user_id, r.service_id, r.generated_bytes + r.attachments_bytes AS bytes
)
SELECT (room.bytes + coalesce((
    SELECT sum(o.generated_bytes + o.attachments_bytes) FROM service_rooms o WHERE o.service_id = room.service_id AND o.user_id <> room.user_id
), 0))::bigint AS bytes FROM room;

-- name: ServiceStorageGrows :exec
-- Notes what was written into a folder of a consumer's room.
UPDATE service_rooms r SET
    generated_bytes   = r.generated_bytes + CASE WHEN sqlc.arg(sent)::boolean THEN 0 ELSE sqlc.arg(bytes)::bigint END,
    attachments_bytes = r.attachments_bytes + CASE WHEN sqlc.arg(sent)::boolean THEN sqlc.arg(bytes)::bigint ELSE 0 END
WHERE r.user_id = sqlc.arg(id);

-- name: ServiceStorageLeft :one
-- The room of a consumer who is deleted.
SELECT service_id, conversation_id, admin_id, runner, storage, left_runner FROM service_rooms WHERE user_id = $1;

-- name: ServiceStorageGone :exec
DELETE FROM service_rooms WHERE user_id = $1;

-- name: ServicePromptGet :one
-- What the prompt of a consumer's conversation is made of: the service, and of its administrator the system prompt and the profile that it names, or
-- else those in force, their words for capabilities, and their timezone.
SELECT s.id, s.name, s.definition, coalesce(own.content, '')::text AS system, coalesce(own.beside, false)::boolean AS beside,
       coalesce((SELECT v.content FROM user_profile_versions v WHERE v.user_id = s.admin_id AND v.version = (s.definition ->> 'user_profile_version_id')::int),
                f.content, '')::text AS profile,
       coalesce(f.timezone, '')::text AS timezone,
       coalesce((
           SELECT jsonb_object_agg(n.section, n.content) FROM (
               SELECT DISTINCT ON (p.section) p.section, p.content FROM prompt_versions p WHERE p.user_id = s.admin_id AND p.section <> 'system' ORDER BY p.section, p.version DESC
           ) n WHERE n.content <> ''
       ), '{}')::jsonb AS sections
FROM service_conversations c JOIN services s ON s.id = c.service_id
LEFT JOIN user_profiles f ON f.user_id = s.admin_id
LEFT JOIN LATERAL (
    SELECT p.content, p.beside FROM prompt_versions p WHERE p.user_id = s.admin_id AND p.section = 'system'
    ORDER BY p.version = coalesce((s.definition ->> 'system_prompt_version_id')::int, 0) DESC, p.version DESC LIMIT 1
) own ON true
WHERE c.user_id = sqlc.arg(id) AND s.deleted_at IS NULL;
