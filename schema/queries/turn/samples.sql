-- name: SampleList :many
-- What was answered during a call: a few rows.
SELECT request, model, answer, finish FROM mcp_samples WHERE call_id = $1;

-- name: SampleKeep :exec
-- Keeps the first answer to a request, and nothing for a call that was deleted meanwhile.
INSERT INTO mcp_samples (call_id, request, model, answer, finish)
SELECT c.id, sqlc.arg(request), sqlc.arg(model), sqlc.arg(answer), sqlc.arg(finish) FROM tool_calls c WHERE c.id = sqlc.arg(call_id)
ON CONFLICT (call_id, request) DO NOTHING;
