// Package mcpstore stores the MCP servers of users and of the installation, and the tools that each listed last.
package mcpstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
)

// MaxServers limits the MCP servers of a user, and those of the installation.
const MaxServers = 32

// Server is a stored server, with its values sealed.
type Server struct {
	chat.MCPServer

	Secrets []byte  // nil: there are none
	Project Project // the project whose .mcp.json it is from; without an id: it is from none
}

// Store stores MCP servers. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// MCPServers lists those of the installation, followed by those of a user; 0: of no user. Each part is in the order of names. Nothing is
// cached: a change is in force at once, in every process.
func (s *Store) MCPServers(ctx context.Context, user chat.UserID) ([]Server, error) {
	out, err := servers(ctx, s.db.Pool, dbsqlc.MCPServerListParams{Owner: int64(user)})
	return out, pg.Classify(err)
}

func servers(ctx context.Context, db pg.DBTX, which dbsqlc.MCPServerListParams) ([]Server, error) {
	rows, err := dbsqlc.Q.MCPServerList(ctx, db, which)
	if err != nil {
		return nil, fmt.Errorf("read MCP servers: %w", err)
	}
	out := make([]Server, len(rows))
	for i, r := range rows {
		out[i] = server(r)
	}
	return out, nil
}

// MCPServer returns a server of any owner. It returns NotFound if there is none.
func (s *Store) MCPServer(ctx context.Context, id int64) (Server, error) {
	found, err := servers(ctx, s.db.Pool, dbsqlc.MCPServerListParams{ID: id})
	switch {
	case err != nil:
		return Server{}, pg.Classify(err)
	case id == 0 || len(found) == 0: // the query takes 0 for all
		return Server{}, fault.Errorf(fault.NotFound, "there is no such MCP server any more")
	}
	return found[0], nil
}

func server(r dbsqlc.MCPServerListRow) Server {
	return Server{Secrets: r.Secrets, Project: Project{ID: r.Project, Runner: r.Runner, Folder: r.Folder, Digest: r.ProjectDigest, Agreed: r.Agreed}, MCPServer: chat.MCPServer{
		ID: r.ID, User: chat.UserID(r.Owner), Shared: r.Owner == 0, EnvNames: r.EnvNames, HeaderNames: r.HeaderNames,
		Revision: r.Revision, CreatedAt: r.CreatedAt, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy, FromFile: r.FromFile,
		MCPConfig: chat.MCPConfig{
			Name: r.Name, Transport: chat.MCPTransport(r.Transport), Command: r.Command, Args: r.Args, URL: r.Url, Account: r.Account, Instructions: r.Instructions, Trusted: r.Trusted, Enabled: r.Enabled,
		},
		MCPState: chat.MCPState{
			ListedAt: r.ListedAt, Digest: r.Digest, Guide: r.Guide, LeftOut: r.LeftOut, Tools: int(r.Tools), Prompts: int(r.Prompts), Resources: int(r.Resources),
			Problem: r.Problem, ProblemAt: r.ProblemAt, WantsAccount: r.WantsAccount,
		},
	}}
}

// SetMCPServer stores a checked server, if the stored one of its id has the revision that in names; 0: there is none of that owner
// and name. It returns Conflict if it was changed, made or removed concurrently, and Invalid if its owner has too many. The name of an existing one stays.
func (s *Store) SetMCPServer(ctx context.Context, in Server, by chat.UserID) (id int64, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, in.Secrets); err != nil {
			return err
		}
		if in.Revision == 0 {
			id, err = add(ctx, tx, in, by)
			return err
		}
		id = in.ID
		return replace(ctx, tx, in, by)
	})
	return id, err
}

var errChanged = fault.Errorf(fault.Conflict, "the MCP server was made, changed or removed meanwhile: read it again")

func add(ctx context.Context, tx *pg.Tx, in Server, by chat.UserID) (int64, error) {
	n, err := dbsqlc.Q.MCPServerCount(ctx, tx, pg.Nullable(in.User))
	if err != nil {
		return 0, fmt.Errorf("count MCP servers: %w", err)
	}
	if n >= MaxServers {
		return 0, fault.Errorf(fault.Invalid, "there are %d MCP servers already: remove one that is not needed", n)
	}
	return insert(ctx, tx, in, by)
}

func insert(ctx context.Context, tx *pg.Tx, in Server, by chat.UserID) (int64, error) {
	id, err := dbsqlc.Q.MCPServerAdd(ctx, tx, dbsqlc.MCPServerAddParams{
		Owner: pg.Nullable(in.User), Name: in.Name, Transport: string(in.Transport), Command: in.Command, Args: pg.List(in.Args), Url: in.URL, EnvNames: pg.List(in.EnvNames),
		HeaderNames: pg.List(in.HeaderNames), Account: in.Account, Secrets: in.Secrets, Instructions: in.Instructions, Trusted: in.Trusted, Enabled: in.Enabled, FromFile: in.FromFile, ChangedBy: pg.Nullable(by),
		ProjectID: pg.Nullable(in.Project.ID),
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, errChanged
	case err != nil:
		return 0, fmt.Errorf("add an MCP server: %w", err)
	}
	return id, nil
}

func replace(ctx context.Context, tx *pg.Tx, in Server, by chat.UserID) error {
	found, err := servers(ctx, tx, dbsqlc.MCPServerListParams{ID: in.ID})
	switch {
	case err != nil:
		return err
	case in.ID == 0 || len(found) == 0:
		return errChanged
	}
	n, err := dbsqlc.Q.MCPServerReplace(ctx, tx, dbsqlc.MCPServerReplaceParams{
		ID: in.ID, Revision: in.Revision, Owner: pg.Nullable(in.User), Name: in.Name, Transport: string(in.Transport), Command: in.Command, Args: pg.List(in.Args), Url: in.URL,
		EnvNames: pg.List(in.EnvNames), HeaderNames: pg.List(in.HeaderNames), Account: in.Account, Secrets: in.Secrets, Instructions: in.Instructions, Trusted: in.Trusted, Enabled: in.Enabled, FromFile: in.FromFile, ChangedBy: pg.Nullable(by),
	})
	if err != nil {
		return fmt.Errorf("change an MCP server: %w", err)
	}
	if n == 0 {
		return errChanged
	}
	if err := dbsqlc.Q.OAuthProviderUnnamed(ctx, tx, in.ID); err != nil {
		return fmt.Errorf("remove the provider of an MCP server: %w", err)
	}
	if old := found[0]; old.Transport == in.Transport && old.Command == in.Command && old.URL == in.URL && slices.Equal(old.Args, in.Args) {
		return nil
	}
	return dbsqlc.Q.MCPServerForget(ctx, tx, in.ID) // another program, another list
}

// RemoveMCPServer removes that of a user, or of the installation where user is 0, with its stored offers. fromFile selects those of the
// file of administrators: the other kind stays. It returns NotFound if there is none.
func (s *Store) RemoveMCPServer(ctx context.Context, user chat.UserID, name string, fromFile bool) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.MCPServerDelete(ctx, tx, dbsqlc.MCPServerDeleteParams{FromFile: fromFile, Name: name, Owner: pg.Nullable(user)})
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "there is no MCP server of that name")
		}
		return err
	})
}
