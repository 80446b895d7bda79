package secretstore

import (
	"context"
	"fmt"

	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/secret/dbsqlc"
)

// Kinds of secrets that are sealed with the installation's key.
const (
	SealedChannel = "channel" // the secret settings of a bot
	SealedTrigger = "trigger" // the signing secret of calls of a trigger
	SealedPayload = "payload" // a key that payloads in Temporal are encrypted with

	SealedSubscription = "subscription" // the key of an account at a provider of models
	SealedToolKey      = "tool key"     // the key of a service that tools use
	SealedMCPProject   = "mcp project"  // the file .mcp.json of a folder in which a user works
	SealedMCPServer    = "mcp server"   // values of variables and headers for an MCP server

	SealedOAuthProvider = "oauth provider" // the secret of the client that xbot is at a provider
	SealedOAuthAccount  = "oauth account"  // the tokens of a connected account
	SealedAgentSecret   = "agent secret"   // a secret variable of the commands of an agent
	SealedPlugin        = "plugin"         // the settings of a plugin
	SealedTraceTarget   = "trace target"   // headers or key of a collector of traces
	SealedOAuthFlow     = "oauth flow"     // the state that identifies a browser during a sign-in at a provider
)

// Sealed is a secret as it is stored.
type Sealed struct {
	Kind string
	Name string // of the owner of the secret
	Data []byte
}

// NoteKey records, in the transaction that stores a secret, which key it was sealed with. It returns Conflict if the key was changed since.
func NoteKey(ctx context.Context, tx *pg.Tx, data []byte) error {
	id := secret.SealedBy(data)
	if id == "" {
		return nil
	}
	retired, err := dbsqlc.Q.SealingKeyUse(ctx, tx, id)
	if err != nil {
		return fmt.Errorf("note the key of a secret: %w", err)
	}
	if retired {
		return fault.Errorf(fault.Conflict, "the installation's key was changed at this moment: try again")
	}
	return nil
}

// Secrets lists all secrets that are sealed with the installation's key.
func (s *Store) Secrets(ctx context.Context) ([]Sealed, error) {
	rows, err := dbsqlc.Q.SealedList(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list sealed secrets: %w", err))
	}
	out := make([]Sealed, len(rows))
	for i, r := range rows {
		out[i] = Sealed{Kind: r.Kind, Name: r.Name, Data: r.Sealed}
	}
	return out, nil
}

// RetireKeysBut forbids storing secrets that are sealed with another key than the current one. It waits for transactions that are about to
// store one.
func (s *Store) RetireKeysBut(ctx context.Context, current string, others []string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.SealingKeyRevive(ctx, tx, current); err != nil {
			return fmt.Errorf("note the new key: %w", err)
		}
		for _, id := range others { // a key that sealed nothing yet has no row
			if _, err := dbsqlc.Q.SealingKeyUse(ctx, tx, id); err != nil {
				return fmt.Errorf("note the old key: %w", err)
			}
		}
		return dbsqlc.Q.SealingKeyRetireOthers(ctx, tx, current)
	})
}

// Reseal replaces a secret by the same one, sealed again. A secret that was changed concurrently stays unchanged, and the result is false.
func (s *Store) Reseal(ctx context.Context, was Sealed, now []byte) (bool, error) {
	var n int64
	var err error
	switch was.Kind {
	case SealedChannel:
		n, err = dbsqlc.Q.SealedReplaceChannel(ctx, s.db.Pool, dbsqlc.SealedReplaceChannelParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedTrigger:
		n, err = dbsqlc.Q.SealedReplaceTrigger(ctx, s.db.Pool, dbsqlc.SealedReplaceTriggerParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedPayload:
		n, err = dbsqlc.Q.SealedReplacePayload(ctx, s.db.Pool, dbsqlc.SealedReplacePayloadParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedSubscription:
		n, err = dbsqlc.Q.SealedReplaceSubscription(ctx, s.db.Pool, dbsqlc.SealedReplaceSubscriptionParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedToolKey:
		n, err = dbsqlc.Q.SealedReplaceToolKey(ctx, s.db.Pool, dbsqlc.SealedReplaceToolKeyParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedMCPServer:
		n, err = dbsqlc.Q.SealedReplaceMCPServer(ctx, s.db.Pool, dbsqlc.SealedReplaceMCPServerParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedMCPProject:
		n, err = dbsqlc.Q.SealedReplaceMCPProject(ctx, s.db.Pool, dbsqlc.SealedReplaceMCPProjectParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedOAuthProvider:
		n, err = dbsqlc.Q.SealedReplaceOAuthProvider(ctx, s.db.Pool, dbsqlc.SealedReplaceOAuthProviderParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedOAuthAccount:
		n, err = dbsqlc.Q.SealedReplaceOAuthAccount(ctx, s.db.Pool, dbsqlc.SealedReplaceOAuthAccountParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedOAuthFlow:
		n, err = dbsqlc.Q.SealedReplaceOAuthFlow(ctx, s.db.Pool, dbsqlc.SealedReplaceOAuthFlowParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedPlugin:
		n, err = dbsqlc.Q.SealedReplacePlugin(ctx, s.db.Pool, dbsqlc.SealedReplacePluginParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedAgentSecret:
		n, err = dbsqlc.Q.SealedReplaceAgentSecret(ctx, s.db.Pool, dbsqlc.SealedReplaceAgentSecretParams{Name: was.Name, Was: was.Data, Sealed: now})
	case SealedTraceTarget:
		n, err = dbsqlc.Q.SealedReplaceTraceTarget(ctx, s.db.Pool, dbsqlc.SealedReplaceTraceTargetParams{Name: was.Name, Was: was.Data, Sealed: now})
	default:
		return false, fault.Errorf(fault.Internal, "there are no secrets of kind %q", was.Kind)
	}
	if err != nil {
		return false, pg.Classify(fmt.Errorf("seal the secret of %s %s anew: %w", was.Kind, was.Name, err))
	}
	return n == 1, nil
}

// DropPayloadKey removes a key of payloads that no key can open any more.
func (s *Store) DropPayloadKey(ctx context.Context, was Sealed) error {
	_, err := dbsqlc.Q.SealedDropPayload(ctx, s.db.Pool, dbsqlc.SealedDropPayloadParams{Name: was.Name, Was: was.Data})
	return pg.Classify(err)
}

// PayloadKeys returns the keys of payloads, sealed, the newest first.
func (s *Store) PayloadKeys(ctx context.Context) ([]Sealed, error) {
	rows, err := dbsqlc.Q.PayloadKeys(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the keys of payloads: %w", err))
	}
	out := make([]Sealed, len(rows))
	for i, r := range rows {
		out[i] = Sealed{Kind: SealedPayload, Name: r.ID, Data: r.Sealed}
	}
	return out, nil
}

// AddPayloadKey stores the first key of payloads, unless there is one.
func (s *Store) AddPayloadKey(ctx context.Context, id string, data []byte) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := NoteKey(ctx, tx, data); err != nil {
			return err
		}
		return dbsqlc.Q.PayloadKeyAdd(ctx, tx, dbsqlc.PayloadKeyAddParams{ID: id, Sealed: data})
	})
}
