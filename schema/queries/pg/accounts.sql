-- name: AccessChanged :exec
-- Tells every process that logins, tokens or runners may not be good any more, with the commit.
SELECT pg_notify('xbot_feed', '{"o":"database","k":"access"}');
