-- name: ProfileZone :one
-- The timezone that a person has said, for a consumer that of the administrator of their service. No row: it was not said.
SELECT p.timezone FROM user_profiles p JOIN user_admins a ON a.admin_id = p.user_id WHERE a.user_id = sqlc.arg(id)::bigint;
