-- name: ChannelAccountExists :one
SELECT EXISTS (SELECT FROM channel_accounts WHERE channel = $1 AND account = $2);
