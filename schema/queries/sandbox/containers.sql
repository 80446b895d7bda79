-- name: ContainerWant :exec
-- Tells every ingress that a user's container is wanted. The channel is that of internal/store.
SELECT pg_notify('xbot_containers', sqlc.arg(user_id)::text);
