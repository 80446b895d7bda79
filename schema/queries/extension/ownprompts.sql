-- name: OwnPrompts :one
-- The sections of the system prompt that a user has replaced. User 0 has those that are installed for everyone.
SELECT sections::jsonb AS sections, roles::text AS roles, skills::text AS skills FROM own_prompts WHERE user_id = sqlc.arg(user_id);

-- name: PromptVersionList :many
-- The versions of a section, the newest first, without their texts; version 0: all, else that version with its text. With newest the newest version of
-- each section with its text; section '': of all sections.
SELECT p.section, p.version, (CASE WHEN sqlc.arg(newest)::bool OR sqlc.arg(version)::int <> 0 THEN p.content ELSE '' END)::text AS content, p.beside, p.label, p.note, p.changed_at,
       coalesce(u.name, '')::text AS changed_by, char_length(p.content)::int AS characters
FROM prompt_versions p LEFT JOIN users u ON u.id = p.changed_by
WHERE p.user_id = sqlc.arg(user_id) AND (p.section = sqlc.arg(section)::text OR sqlc.arg(section)::text = '') AND (sqlc.arg(version)::int = 0 OR p.version = sqlc.arg(version)::int)
  AND (NOT sqlc.arg(newest)::bool OR p.version = (SELECT max(n.version) FROM prompt_versions n WHERE n.user_id = p.user_id AND n.section = p.section))
ORDER BY p.section, p.version DESC;

-- name: PromptVersionAdd :exec
-- The oldest beyond keep go, unless a service works with them.
WITH gone AS (
    DELETE FROM prompt_versions p WHERE p.user_id = sqlc.arg(user_id) AND p.section = sqlc.arg(section) AND p.version IN (
        SELECT o.version FROM prompt_versions o WHERE o.user_id = sqlc.arg(user_id) AND o.section = sqlc.arg(section)
        ORDER BY o.version DESC OFFSET sqlc.arg(keep)::int - 1
    ) AND NOT (p.section = 'system' AND EXISTS (
        SELECT 1 FROM services s WHERE s.admin_id = p.user_id AND s.deleted_at IS NULL AND (s.definition ->> 'system_prompt_version_id')::int = p.version
    ))
)
INSERT INTO prompt_versions (user_id, section, version, content, beside, label, note, changed_by)
VALUES (sqlc.arg(user_id), sqlc.arg(section), sqlc.arg(version), sqlc.arg(content), sqlc.arg(beside), sqlc.arg(label), sqlc.arg(note), sqlc.arg(changed_by));

-- name: PromptVersionNote :execrows
UPDATE prompt_versions SET label = coalesce(sqlc.narg(label), label), note = coalesce(sqlc.narg(note), note)
WHERE user_id = sqlc.arg(user_id) AND section = sqlc.arg(section) AND version = sqlc.arg(version);

-- name: PromptVersionDelete :execrows
DELETE FROM prompt_versions WHERE user_id = $1 AND section = $2 AND version = $3;
