-- name: PermitsOf :one
SELECT permits::jsonb AS permits FROM session_permits WHERE session_key = $1;

-- name: PermissionList :many
SELECT tool, pattern, rule, pin FROM tool_permissions WHERE user_id = $1 ORDER BY tool, pattern;

-- name: PermissionSet :exec
INSERT INTO tool_permissions (user_id, tool, pattern, rule, pin) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (user_id, tool, pattern) DO UPDATE SET rule = EXCLUDED.rule, pin = EXCLUDED.pin, updated_at = now();

-- name: PermissionPin :exec
-- The rule is the owner's. One that says already what the tool was stays.
UPDATE tool_permissions p SET pin = sqlc.arg(pin) FROM sessions s
WHERE s.key = sqlc.arg(session_key) AND p.user_id = s.user_id AND p.tool = sqlc.arg(tool) AND p.pattern = '' AND p.rule = 'allow' AND p.pin = '';

-- name: PermissionCount :one
SELECT count(*) FROM tool_permissions WHERE user_id = $1;

-- name: PermissionDelete :execrows
DELETE FROM tool_permissions WHERE user_id = $1 AND tool = $2 AND pattern = $3;

-- name: PermissionSetOfOwner :execrows
-- The rule is the owner's, also where somebody else may answer for them. Who has as many as are kept gets no more.
INSERT INTO tool_permissions (user_id, tool, pattern, rule, pin)
SELECT s.user_id, sqlc.arg(tool), sqlc.arg(pattern), sqlc.arg(rule), sqlc.arg(pin) FROM sessions s WHERE s.key = sqlc.arg(session_key)
    AND (SELECT count(*) FROM tool_permissions p WHERE p.user_id = s.user_id) < sqlc.arg(most)::int
ON CONFLICT (user_id, tool, pattern) DO UPDATE SET rule = EXCLUDED.rule, pin = EXCLUDED.pin, updated_at = now();
