-- name: ServiceSaid :many
-- The newest messages of a conversation of a consumer before one, as its consumer sees them: what jobs and the product told the model is not among
-- them. Of unseen ones those that the model does not see any more: what is before its last compaction or reset.
SELECT m.id, m.role, m.origin, m.created_at, v.source, coalesce(m.shown, m.content)::text AS content
FROM service_conversations v
JOIN sessions s ON s.key = v.session_key
LEFT JOIN controls c ON c.id = s.compaction_id
LEFT JOIN controls r ON r.id = s.reset_id
JOIN messages m ON m.session_key = v.session_key
WHERE v.session_key = sqlc.arg(session_key) AND m.id < sqlc.arg(before)::bigint
  AND (NOT sqlc.arg(unseen)::boolean OR m.id <= greatest(coalesce(c.message_id, 0), coalesce(r.message_id, 0)))
  AND (m.role = 'assistant' OR m.role = 'user' AND m.inbox_id IS NOT NULL AND m.origin IN ('', 'superseded'))
  AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL AND coalesce(m.shown, m.content) <> ''
ORDER BY m.id DESC
LIMIT sqlc.arg(n);

-- name: ServiceOfAdmin :one
-- The session of a conversation with a service of somebody, as long as they are an administrator. Others are not found, nor is what is being deleted.
SELECT v.session_key FROM service_conversations v
JOIN users u ON u.id = v.user_id AND u.disabled_at IS NULL
JOIN services sv ON sv.id = v.service_id AND sv.deleted_at IS NULL
JOIN users a ON a.id = sv.admin_id AND a.role = 'admin' AND a.kind = 'person' AND a.disabled_at IS NULL
WHERE v.id = sqlc.arg(id) AND sv.admin_id = sqlc.arg(admin_id);

-- name: ServiceConversationsOfAdmin :many
-- Conversations with the services of somebody, as long as they are an administrator, those that were used last first. Words are looked for in titles
-- by their letters, and in what was said by words; no words: in titles alone.
SELECT v.id, sv.name AS service_name, v.source, s.title, s.last_interaction_at,
       (SELECT count(*) FROM messages m WHERE m.session_key = v.session_key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND m.rewound_by IS NULL)::int AS messages
FROM services sv
JOIN users a ON a.id = sv.admin_id AND a.role = 'admin' AND a.kind = 'person' AND a.disabled_at IS NULL
JOIN service_conversations v ON v.service_id = sv.id
JOIN users u ON u.id = v.user_id AND u.disabled_at IS NULL
JOIN sessions s ON s.key = v.session_key
WHERE sv.admin_id = sqlc.arg(admin_id) AND sv.deleted_at IS NULL
  AND (sqlc.arg(service)::text = '' OR sv.id = sqlc.arg(service) OR lower(sv.name) = lower(sqlc.arg(service)))
  AND (sqlc.arg(q)::text = '' OR strpos(lower(s.title), lower(sqlc.arg(q)::text)) > 0 OR sqlc.arg(words)::text <> '' AND EXISTS (
      SELECT 1 FROM messages m JOIN message_words w ON w.message_id = m.id WHERE m.session_key = v.session_key
        AND (m.role = 'assistant' OR m.role = 'user' AND m.inbox_id IS NOT NULL AND m.origin IN ('', 'superseded'))
        AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL AND w.words @@ sqlc.arg(words)::text::tsquery))
ORDER BY s.last_interaction_at DESC, v.id
LIMIT sqlc.arg(n);

-- name: ServiceInboxOfAdmin :many
-- The newest items of the inboxes of somebody's services, as long as they are an administrator.
SELECT v.id, v.service_id, sv.name AS service_name, c.id AS conversation, s.title, v.message, v.status, v.created_at, coalesce(w.name, '')::text AS answered_by
FROM service_inbox_items v
JOIN service_conversations c ON c.session_key = v.session_key
JOIN sessions s ON s.key = v.session_key
JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
JOIN services sv ON sv.id = v.service_id AND sv.deleted_at IS NULL
JOIN users a ON a.id = sv.admin_id AND a.role = 'admin' AND a.kind = 'person' AND a.disabled_at IS NULL
LEFT JOIN users w ON w.id = v.answered_by
WHERE sv.admin_id = sqlc.arg(admin_id) AND (sqlc.arg(status)::text = '' OR v.status = sqlc.arg(status))
ORDER BY v.created_at DESC, v.id
LIMIT sqlc.arg(n);
