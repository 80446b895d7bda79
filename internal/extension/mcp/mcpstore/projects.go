package mcpstore

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
)

// maxProjects limits the stored folders to whose servers a user has not agreed: those that were seen last.
const maxProjects = 32

// Project is a folder with a file .mcp.json.
type Project struct {
	ID             int64
	Runner, Folder string
	Digest         string // of the file as it was seen last; empty: it cannot be used
	Agreed         string // digest of the file that the user has agreed to; empty: none
}

// Agrees reports whether the user has agreed to the file as it was seen last.
func (p Project) Agrees() bool { return p.Agreed != "" && p.Agreed == p.Digest }

// SeenProject is a project as its user sees it.
type SeenProject struct {
	Project

	User     chat.UserID
	Admin    bool   // the user is an administrator
	Sealed   []byte // the contents of the folder as last read; nil: it cannot be used
	Texts    string // identifies the contents that the digest does not cover
	Problem  string // why it cannot be used
	SeenAt   time.Time
	AgreedAt *time.Time
}

// MCPProjects lists the folders of a user.
func (s *Store) MCPProjects(ctx context.Context, user chat.UserID) ([]SeenProject, error) {
	rows, err := dbsqlc.Q.MCPProjectList(ctx, s.db.Pool, int64(user))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list projects with MCP servers: %w", err))
	}
	out := make([]SeenProject, len(rows))
	for i, r := range rows {
		out[i] = SeenProject{
			Project: Project{ID: r.ID, Runner: r.Runner, Folder: r.Folder, Digest: r.Digest, Agreed: r.Agreed},
			User:    user, Admin: r.Admin, Sealed: r.Secrets, Problem: r.Problem, SeenAt: r.SeenAt, AgreedAt: r.AgreedAt,
		}
	}
	return out, nil
}

// MCPServersOfProjects lists the servers that a user has agreed to, by folder and name.
func (s *Store) MCPServersOfProjects(ctx context.Context, user chat.UserID) ([]Server, error) {
	out, err := servers(ctx, s.db.Pool, dbsqlc.MCPServerListParams{Owner: int64(user), OfProjects: true})
	return out, pg.Classify(err)
}

// SeeMCPProject stores the current file of a folder, sealed, or why it cannot be used. It is no consent of the user.
func (s *Store) SeeMCPProject(ctx context.Context, p SeenProject) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, p.Sealed); err != nil {
			return err
		}
		if err := dbsqlc.Q.MCPProjectSee(ctx, tx, dbsqlc.MCPProjectSeeParams{
			Owner: int64(p.User), Runner: p.Runner, Folder: p.Folder, Digest: p.Digest, Secrets: p.Sealed, Texts: p.Texts, Problem: chat.Clean(p.Problem),
		}); err != nil {
			return fmt.Errorf("note a project with MCP servers: %w", err)
		}
		return dbsqlc.Q.MCPProjectTrim(ctx, tx, dbsqlc.MCPProjectTrimParams{Owner: int64(p.User), Keep: maxProjects})
	})
}

// LoseMCPProject records that the file of a folder is gone. It is deleted, unless the user had agreed to it.
func (s *Store) LoseMCPProject(ctx context.Context, user chat.UserID, runner, folder, problem string) error {
	err := dbsqlc.Q.MCPProjectGone(ctx, s.db.Pool, dbsqlc.MCPProjectGoneParams{Owner: int64(user), Runner: runner, Folder: folder, Problem: problem})
	return pg.Classify(err)
}

// AgreeMCPProject stores the consent of a user with the servers of the file that has the digest, in place of those agreed to before, whose ids it
// returns. It returns Conflict if the file is another one by now, or the folder is not the user's.
func (s *Store) AgreeMCPProject(ctx context.Context, user chat.UserID, id int64, digest string, servers []Server) (before []int64, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.MCPProjectAgree(ctx, tx, dbsqlc.MCPProjectAgreeParams{ID: id, Owner: int64(user), Digest: digest})
		if err != nil {
			return fmt.Errorf("agree to the servers of a project: %w", err)
		}
		if n == 0 {
			return fault.Errorf(fault.Conflict, "the file has changed meanwhile: look at it again")
		}
		if before, err = dbsqlc.Q.MCPProjectClear(ctx, tx, dbsqlc.MCPProjectClearParams{Project: id, Owner: int64(user)}); err != nil {
			return fmt.Errorf("remove the servers of a project: %w", err)
		}
		for _, one := range servers {
			if err := secretstore.NoteKey(ctx, tx, one.Secrets); err != nil {
				return err
			}
			one.User, one.Project.ID = user, id
			if _, err := insert(ctx, tx, one, user); err != nil {
				return err
			}
		}
		return nil
	})
	return before, err
}

// WithdrawMCPProject withdraws the consent of a user, and deletes the folder until it is seen again. It returns the ids of its servers.
// It returns NotFound if the user has no such folder.
func (s *Store) WithdrawMCPProject(ctx context.Context, user chat.UserID, id int64) (servers []int64, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if servers, err = dbsqlc.Q.MCPProjectClear(ctx, tx, dbsqlc.MCPProjectClearParams{Project: id, Owner: int64(user)}); err != nil {
			return fmt.Errorf("remove the servers of a project: %w", err)
		}
		n, err := dbsqlc.Q.MCPProjectDelete(ctx, tx, dbsqlc.MCPProjectDeleteParams{ID: id, Owner: int64(user)})
		if err == nil && n == 0 {
			err = fault.Errorf(fault.NotFound, "there is no such folder")
		}
		return err
	})
	return servers, err
}
