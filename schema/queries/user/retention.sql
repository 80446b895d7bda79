-- name: RetentionPrompts :execrows
DELETE FROM prompts WHERE hash IN (
    SELECT p.hash FROM prompts p
    WHERE p.created_at < now() - sqlc.arg(older)::interval
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.system_hash = p.hash)
      AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.prompt_hash = p.hash)
    LIMIT sqlc.arg(most)::int
);
