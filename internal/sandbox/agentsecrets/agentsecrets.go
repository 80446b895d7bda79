// Package agentsecrets keeps the secret variables of the commands of agents, sealed.
package agentsecrets

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/sandbox/dbsqlc"
	"xbot/internal/secret/secretstore"
)

// Store keeps secret variables. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Secret is one as it is stored: sealed.
type Secret struct {
	Agent  string
	Name   string
	Sealed []byte
	SetAt  time.Time
}

// AgentSecrets lists those of an agent, or of all agents where none is named. Nothing is kept in memory: a change is in force at once, in
// every process.
func (s *Store) AgentSecrets(ctx context.Context, agent string) ([]Secret, error) {
	rows, err := dbsqlc.Q.AgentSecretList(ctx, s.db.Pool, agent)
	return of(rows), pg.Classify(err)
}

func of(rows []dbsqlc.AgentSecretListRow) []Secret {
	out := make([]Secret, len(rows))
	for i, r := range rows {
		out[i] = Secret{Agent: r.Agent, Name: r.Name, Sealed: r.Sealed, SetAt: r.SetAt}
	}
	return out
}

// Bounds decide whether an agent may have another secret, or another value of one, in addition to those that it has.
type Bounds interface {
	Fit(others []Secret) error
}

// SetAgentSecret stores a secret, or a new value of one. bounds checks the agent's other ones, which are locked in the meantime.
func (s *Store) SetAgentSecret(ctx context.Context, in Secret, bounds Bounds) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, in.Sealed); err != nil {
			return err
		}
		if err := dbsqlc.Q.AgentSecretLock(ctx, tx, in.Agent); err != nil {
			return fmt.Errorf("lock the secrets of %s: %w", in.Agent, err)
		}
		rows, err := dbsqlc.Q.AgentSecretList(ctx, tx, in.Agent)
		if err != nil {
			return fmt.Errorf("read the secrets of %s: %w", in.Agent, err)
		}
		var others []Secret
		for _, have := range of(rows) {
			if have.Name != in.Name {
				others = append(others, have)
			}
		}
		if err := bounds.Fit(others); err != nil {
			return err
		}
		return dbsqlc.Q.AgentSecretSet(ctx, tx, dbsqlc.AgentSecretSetParams{Agent: in.Agent, Name: in.Name, Sealed: in.Sealed})
	})
}

// RemoveAgentSecret removes a secret. It returns NotFound if there is none.
func (s *Store) RemoveAgentSecret(ctx context.Context, agent, name string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.AgentSecretDelete(ctx, tx, dbsqlc.AgentSecretDeleteParams{Agent: agent, Name: name})
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "agent %s has no secret variable %s", agent, name)
		}
		return err
	})
}

// RunnerIsListed reports whether a runner of a user is in a list of OWNER/NAME. Those of users from a platform never are: the
// name is self-chosen.
func (s *Store) RunnerIsListed(ctx context.Context, owner chat.UserID, name string, listed []string) (bool, error) {
	is, err := dbsqlc.Q.RunnerIsListed(ctx, s.db.Pool, dbsqlc.RunnerIsListedParams{Owner: int64(owner), Name: name, Listed: listed})
	return is, pg.Classify(err)
}
