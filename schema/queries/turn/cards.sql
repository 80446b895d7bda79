-- name: RetentionCards :execrows
DELETE FROM card_drafts WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM card_drafts d WHERE d.changed_at < now() - interval '30 days' LIMIT sqlc.arg(most)::int));
