-- name: EditList :many
-- What the model changed of its view and what was taken back, newest first.
SELECT id, kind, message_id, turn_id, key, body, created_at FROM controls
WHERE session_key = sqlc.arg(session_key) AND kind IN ('edit', 'undo') AND away_by IS NULL
ORDER BY id DESC LIMIT sqlc.arg(most);

-- name: MaskList :many
-- The masked results of a conversation since it began, newest first.
SELECT (m.value ->> 'text')::text AS text
FROM controls c
CROSS JOIN LATERAL jsonb_array_elements(c.body -> 'masks') WITH ORDINALITY AS m(value, n)
JOIN messages l ON l.id = (m.value ->> 'message')::bigint
WHERE c.session_key = sqlc.arg(session_key) AND c.kind = 'mask' AND l.rewound_by IS NULL
  AND l.id > coalesce((SELECT rs.message_id FROM sessions s JOIN controls rs ON rs.id = s.reset_id WHERE s.key = c.session_key), 0)
ORDER BY c.id DESC, m.n DESC LIMIT sqlc.arg(most);

-- name: MaskedResult :one
-- The result behind a mask, as the tool gave it: the whole where it was offloaded.
SELECT coalesce(b.body, t.result)::text AS result
FROM controls c
CROSS JOIN LATERAL jsonb_array_elements(c.body -> 'masks') AS m(value)
JOIN tool_calls t ON t.id = m.value ->> 'call'
LEFT JOIN offloads o ON o.call_id = t.id AND o.id = t.offload
LEFT JOIN blobs b ON b.hash = o.blob
WHERE c.session_key = sqlc.arg(session_key) AND c.kind = 'mask' AND m.value ->> 'id' = sqlc.arg(id)::text
ORDER BY c.id DESC LIMIT 1;
