package mcpstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// MCPOffers returns the last list of a server. The tools are at least as new as the digest. It returns NotFound if there is no such server.
func (s *Store) MCPOffers(ctx context.Context, id int64) (out chat.MCPOffers, err error) {
	r, err := dbsqlc.Q.MCPServerOffers(ctx, s.db.Pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return out, fault.Errorf(fault.NotFound, "there is no such MCP server any more")
	}
	if err != nil {
		return out, pg.Classify(fmt.Errorf("read what an MCP server offers: %w", err))
	}
	out.Digest, out.Guide, out.LeftOut = r.Digest, r.Guide, r.LeftOut
	if err := errors.Join(json.Unmarshal(r.Prompts, &out.Prompts), json.Unmarshal(r.Resources, &out.Resources)); err != nil {
		return out, fmt.Errorf("read what MCP server %d offers: %w", id, err)
	}
	rows, err := dbsqlc.Q.MCPToolList(ctx, s.db.Pool, id)
	if err != nil {
		return out, pg.Classify(fmt.Errorf("read the tools of an MCP server: %w", err))
	}
	out.Tools = make([]chat.MCPTool, len(rows))
	for i, r := range rows {
		out.Tools[i] = chat.MCPTool{Name: r.Name, Title: r.Title, Description: r.Description, Schema: r.Schema}
		if err := json.Unmarshal(r.Hints, &out.Tools[i].Hints); err != nil {
			return out, fmt.Errorf("read tool %q of MCP server %d: %w", r.Name, id, err)
		}
	}
	return out, nil
}

// SetMCPOffers stores the list of a server of a revision, which was checked: its names differ. A server that was changed or removed
// in the meantime stays unchanged.
func (s *Store) SetMCPOffers(ctx context.Context, id, revision int64, offers chat.MCPOffers) error {
	listed, tools, err := encode(id, offers)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		was, err := dbsqlc.Q.MCPServerLock(ctx, tx, dbsqlc.MCPServerLockParams{ID: id, Revision: revision})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil
		case err != nil:
			return fmt.Errorf("lock an MCP server: %w", err)
		case was == listed.Digest:
			return dbsqlc.Q.MCPServerStill(ctx, tx, id)
		}
		if err := dbsqlc.Q.MCPToolsDelete(ctx, tx, id); err != nil {
			return fmt.Errorf("forget the tools of an MCP server: %w", err)
		}
		if err := dbsqlc.Q.MCPToolsAdd(ctx, tx, dbsqlc.MCPToolsAddParams{ServerID: id, Tools: tools}); err != nil {
			return fmt.Errorf("store the tools of an MCP server: %w", err)
		}
		return dbsqlc.Q.MCPServerListed(ctx, tx, listed)
	})
}

// SetMCPProblem stores why a server of a revision could not be reached or read, and whether it wants an account.
func (s *Store) SetMCPProblem(ctx context.Context, id, revision int64, problem string, wantsAccount bool) error {
	err := dbsqlc.Q.MCPServerProblem(ctx, s.db.Pool, dbsqlc.MCPServerProblemParams{ID: id, Revision: revision, Problem: chat.Clean(problem), WantsAccount: wantsAccount})
	return pg.Classify(err)
}

func encode(id int64, offers chat.MCPOffers) (listed dbsqlc.MCPServerListedParams, tools json.RawMessage, err error) {
	listed = dbsqlc.MCPServerListedParams{ID: id, Guide: offers.Guide, LeftOut: pg.List(offers.LeftOut), Tools: int32(len(offers.Tools))}
	if listed.Prompts, err = array(offers.Prompts); err != nil {
		return listed, nil, err
	}
	if listed.Resources, err = array(offers.Resources); err != nil {
		return listed, nil, err
	}
	if tools, err = array(offers.Tools); err != nil {
		return listed, nil, err
	}
	all, err := json.Marshal(offers)
	sum := sha256.Sum256(all)
	listed.Digest = hex.EncodeToString(sum[:16])
	return listed, tools, err
}

// array returns a list as JSON, never null.
func array[T any](list []T) (json.RawMessage, error) {
	if list == nil {
		return json.RawMessage("[]"), nil
	}
	return json.Marshal(list)
}
