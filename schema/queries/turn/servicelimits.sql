-- name: RetentionServiceRequests :execrows
DELETE FROM service_requests WHERE ctid = ANY (ARRAY(
    SELECT r.ctid FROM service_requests r WHERE r.at < now() - sqlc.arg(older)::interval LIMIT sqlc.arg(most)::int
));
