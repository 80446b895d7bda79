-- name: MCPServerList :many
-- The server of an id; 0: those of the installation, then those of a user, by name; with of_projects those that a user agreed to in folders instead,
-- used or not, by folder and name.
SELECT s.id, coalesce(s.user_id, 0)::bigint AS owner, s.name, s.transport, s.command, s.args, s.url, s.env_names, s.header_names, s.account, s.secrets, s.instructions, s.trusted, s.enabled, s.from_file,
       s.revision, s.created_at, s.changed_at, coalesce(u.name, '')::text AS changed_by,
       s.listed_at, s.digest, s.guide, s.left_out, s.tools, jsonb_array_length(s.prompts)::int AS prompts, jsonb_array_length(s.resources)::int AS resources, s.problem, s.problem_at, s.wants_account,
       coalesce(p.id, 0)::bigint AS project, coalesce(p.runner, '')::text AS runner, coalesce(p.folder, '')::text AS folder, coalesce(p.digest, '')::text AS project_digest, coalesce(p.agreed, '')::text AS agreed
FROM mcp_servers s LEFT JOIN users u ON u.id = s.changed_by LEFT JOIN mcp_projects p ON p.id = s.project_id
WHERE sqlc.arg(id)::bigint <> 0 AND s.id = sqlc.arg(id)::bigint
   OR sqlc.arg(id)::bigint = 0 AND (s.project_id IS NOT NULL) = sqlc.arg(of_projects)::bool AND (s.user_id = sqlc.arg(owner)::bigint OR s.user_id IS NULL AND s.project_id IS NULL)
ORDER BY s.user_id NULLS FIRST, s.project_id, s.name;

-- name: MCPProjectList :many
SELECT p.id, p.user_id, p.runner, p.folder, p.digest, p.secrets, p.problem, p.seen_at, p.agreed, p.agreed_at, (u.role = 'admin' AND u.kind = 'person')::boolean AS admin
FROM mcp_projects p JOIN users u ON u.id = p.user_id WHERE p.user_id = sqlc.arg(owner)::bigint ORDER BY p.runner, p.folder;

-- name: MCPProjectSee :exec
-- What stands there now, where that is news.
INSERT INTO mcp_projects AS p (user_id, runner, folder, digest, texts, secrets, problem)
VALUES (sqlc.arg(owner)::bigint, sqlc.arg(runner), sqlc.arg(folder), sqlc.arg(digest), sqlc.arg(texts), sqlc.narg(secrets), sqlc.arg(problem))
ON CONFLICT (user_id, runner, folder) DO UPDATE SET digest = EXCLUDED.digest, texts = EXCLUDED.texts, secrets = EXCLUDED.secrets, problem = EXCLUDED.problem, seen_at = now()
WHERE p.digest <> EXCLUDED.digest OR p.problem <> EXCLUDED.problem OR p.texts <> EXCLUDED.texts;

-- name: MCPProjectGone :exec
-- The file is gone. What was agreed to stays known, and is not used.
WITH unknown AS (DELETE FROM mcp_projects d WHERE d.user_id = sqlc.arg(owner)::bigint AND d.runner = sqlc.arg(runner)::text AND d.folder = sqlc.arg(folder)::text AND d.agreed = '')
UPDATE mcp_projects SET digest = '', secrets = NULL, problem = sqlc.arg(problem), seen_at = now()
WHERE user_id = sqlc.arg(owner)::bigint AND runner = sqlc.arg(runner)::text AND folder = sqlc.arg(folder)::text AND agreed <> '' AND problem <> sqlc.arg(problem);

-- name: MCPProjectTrim :exec
-- Forgets the folders that were seen the longest time ago and to which nobody has agreed, beyond so many.
DELETE FROM mcp_projects WHERE id IN (
    SELECT d.id FROM mcp_projects d WHERE d.user_id = sqlc.arg(owner)::bigint AND d.agreed = '' ORDER BY d.seen_at DESC, d.id DESC OFFSET sqlc.arg(keep)::int
);

-- name: MCPProjectAgree :execrows
-- The word of the person, to the file as it was shown and stands there still. None: it is another one by now.
UPDATE mcp_projects SET agreed = digest, agreed_at = now()
WHERE id = sqlc.arg(id) AND user_id = sqlc.arg(owner)::bigint AND digest = sqlc.arg(digest) AND digest <> '' AND problem = '';

-- name: MCPProjectClear :many
-- Removes the servers that a user agreed to in a folder.
DELETE FROM mcp_servers WHERE project_id = sqlc.arg(project)::bigint AND user_id = sqlc.arg(owner)::bigint RETURNING id;

-- name: MCPProjectDelete :execrows
DELETE FROM mcp_projects WHERE id = sqlc.arg(id) AND user_id = sqlc.arg(owner)::bigint;

-- name: MCPServerCount :one
SELECT count(*)::int FROM mcp_servers WHERE project_id IS NULL AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint;

-- name: MCPServerAdd :one
-- None: its owner has one of that name.
INSERT INTO mcp_servers (user_id, name, transport, command, args, url, env_names, header_names, account, secrets, instructions, trusted, enabled, from_file, changed_by, project_id)
VALUES (sqlc.narg(owner)::bigint, sqlc.arg(name), sqlc.arg(transport), sqlc.arg(command), sqlc.arg(args), sqlc.arg(url), sqlc.arg(env_names), sqlc.arg(header_names), sqlc.arg(account),
        sqlc.narg(secrets), sqlc.arg(instructions), sqlc.arg(trusted), sqlc.arg(enabled), sqlc.arg(from_file), sqlc.narg(changed_by)::bigint, sqlc.narg(project_id)::bigint)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: MCPServerReplace :execrows
-- Of the one revision that the change was made from. What another program or address listed is forgotten.
UPDATE mcp_servers
SET transport = sqlc.arg(transport), command = sqlc.arg(command), args = sqlc.arg(args), url = sqlc.arg(url), env_names = sqlc.arg(env_names), header_names = sqlc.arg(header_names), account = sqlc.arg(account),
    secrets = sqlc.narg(secrets), instructions = sqlc.arg(instructions), trusted = sqlc.arg(trusted), enabled = sqlc.arg(enabled), changed_by = sqlc.narg(changed_by)::bigint, changed_at = now(),
    revision = revision + 1, problem = '', problem_at = NULL, wants_account = false
WHERE id = sqlc.arg(id) AND revision = sqlc.arg(revision) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint AND name = sqlc.arg(name) AND from_file = sqlc.arg(from_file);

-- name: MCPServerAccount :execrows
-- Names the account that authorizes requests to the one revision of it.
UPDATE mcp_servers
SET account = sqlc.arg(account), changed_by = sqlc.narg(changed_by)::bigint, changed_at = now(), revision = revision + 1, problem = '', problem_at = NULL, wants_account = false
WHERE id = sqlc.arg(id) AND revision = sqlc.arg(revision) AND NOT from_file;

-- name: MCPServerForget :exec
-- Forgets what it offered.
WITH gone AS (DELETE FROM mcp_tools t WHERE t.server_id = sqlc.arg(id))
UPDATE mcp_servers SET listed_at = NULL, digest = '', guide = '', left_out = '{}', tools = 0, prompts = '[]', resources = '[]' WHERE id = sqlc.arg(id);

-- name: MCPServerDelete :execrows
DELETE FROM mcp_servers WHERE project_id IS NULL AND from_file = sqlc.arg(from_file) AND name = sqlc.arg(name) AND user_id IS NOT DISTINCT FROM sqlc.narg(owner)::bigint;

-- name: MCPServerLock :one
-- What it last listed, where it still has that revision: none otherwise. Other lists of it wait.
SELECT digest FROM mcp_servers WHERE id = sqlc.arg(id) AND revision = sqlc.arg(revision) FOR UPDATE;

-- name: MCPServerListed :exec
UPDATE mcp_servers
SET listed_at = now(), digest = sqlc.arg(digest), guide = sqlc.arg(guide), left_out = sqlc.arg(left_out), tools = sqlc.arg(tools), prompts = sqlc.arg(prompts), resources = sqlc.arg(resources),
    problem = '', problem_at = NULL, wants_account = false
WHERE id = sqlc.arg(id);

-- name: MCPServerStill :exec
-- It listed what it listed before.
UPDATE mcp_servers SET listed_at = now(), problem = '', problem_at = NULL, wants_account = false WHERE id = sqlc.arg(id);

-- name: MCPServerProblem :exec
UPDATE mcp_servers SET problem = sqlc.arg(problem), problem_at = now(), wants_account = sqlc.arg(wants_account) WHERE id = sqlc.arg(id) AND revision = sqlc.arg(revision);

-- name: MCPServerOffers :one
SELECT digest, guide, left_out, prompts, resources FROM mcp_servers WHERE id = $1;

-- name: MCPToolList :many
SELECT name, title, description, schema, hints FROM mcp_tools WHERE server_id = $1 ORDER BY place;

-- name: MCPToolsDelete :exec
DELETE FROM mcp_tools WHERE server_id = $1;

-- name: MCPToolsAdd :exec
-- The tools are an array of objects, in their order.
INSERT INTO mcp_tools (server_id, place, name, title, description, schema, hints)
SELECT sqlc.arg(server_id)::bigint, (t.n - 1)::int, t.tool ->> 'name', coalesce(t.tool ->> 'title', ''), coalesce(t.tool ->> 'description', ''), t.tool -> 'schema', t.tool -> 'hints'
FROM jsonb_array_elements(sqlc.arg(tools)::jsonb) WITH ORDINALITY AS t(tool, n);
