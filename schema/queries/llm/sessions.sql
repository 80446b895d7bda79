-- name: SessionAbout :one
SELECT s.channel, u.name AS user_name FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.key = $1;
