-- name: SessionOverride :execrows
-- Sets what a conversation decides for itself; NULL leaves a value as it is, empty follows agent and policy again.
UPDATE sessions SET
    model      = coalesce(sqlc.narg(model), model),
    think      = coalesce(sqlc.narg(think), think),
    verbosity  = coalesce(sqlc.narg(verbosity), verbosity),
    send       = coalesce(sqlc.narg(send), send),
    activation = coalesce(sqlc.narg(activation), activation),
    preset     = coalesce(sqlc.narg(preset)::text, preset),
    plan       = coalesce(sqlc.narg(plan)::boolean, plan)
WHERE key = sqlc.arg(key);
