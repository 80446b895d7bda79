-- name: QuestionOfCall :one
-- The question that a call has asked on a platform.
SELECT * FROM outbound WHERE call_id = sqlc.arg(call_id)::text AND kind = 'question';
