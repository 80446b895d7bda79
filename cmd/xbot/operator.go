package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/ingress/api"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/localstack"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/user/users"
	"xbot/server"
)

type configCmd struct {
	JSON bool `help:"Print JSON."`
}

// Run prints the settings of xbot serve, which has all of them.
func (c configCmd) Run() error {
	cfg, err := load[config.Serve]()
	if err != nil {
		return err
	}
	env, err := config.Variables(os.Environ())
	if err != nil {
		return err
	}
	sayIgnored(os.Stderr)
	settings := slices.Concat(config.Describe(&cfg), channelSettings(env))
	if c.JSON {
		values := map[string]string{}
		for _, s := range settings {
			values[s.Name] = s.Value
		}
		return json.NewEncoder(os.Stdout).Encode(values)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range settings {
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.Value, s.Help)
	}
	return w.Flush()
}

type openAPICmd struct{}

// Run prints the OpenAPI document, from which the page's types are made.
func (openAPICmd) Run() error {
	out, err := json.MarshalIndent(api.Document(), "", "  ")
	if err != nil {
		return err
	}
	fmt.Println(string(out))
	return nil
}

// openStore opens the database of a running or configured server for an operator's command.
func openStore(ctx context.Context) (*store.Store, config.Serve, func(), error) {
	cfg, err := load[config.Serve]()
	if err != nil {
		return nil, cfg, nil, err
	}
	dsn := cfg.Database.URL
	if dsn == "" {
		e, err := localstack.Read(cfg.Dir)
		if err != nil {
			return nil, cfg, nil, fault.Errorf(fault.Unavailable, "nothing is set up in %s yet: start \"xbot serve\" first, or set XBOT_DATABASE_URL", cfg.Dir)
		}
		dsn = e.DatabaseURL
	}
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, cfg, nil, fault.Errorf(fault.Invalid, "XBOT_DATABASE_URL is not a Postgres connection string")
	}
	s := store.New(pool, store.Options{})
	if err := s.Ping(ctx); err != nil {
		pool.Close()
		return nil, cfg, nil, fault.Errorf(fault.Unavailable, "the database does not answer: is \"xbot serve\" running?")
	}
	return s, cfg, pool.Close, nil
}

// withStore opens the database for a command.
func withStore(ctx context.Context, do func(*store.Store, config.Serve) error) error {
	_, err := fromStore(ctx, func(s *store.Store, cfg config.Serve) (any, error) { return nil, do(s, cfg) })
	return err
}

// fromStore opens the database for a command that reads something.
func fromStore[T any](ctx context.Context, read func(*store.Store, config.Serve) (T, error)) (T, error) {
	s, cfg, closeStore, err := openStore(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer closeStore()
	return read(s, cfg)
}

// withUser opens the database and finds a user; without a name it is the administrator.
func withUser(ctx context.Context, name string, do func(*store.Store, config.Serve, users.User) error) error {
	return withStore(ctx, func(s *store.Store, cfg config.Serve) error {
		user, err := userOrAdmin(ctx, s, cfg, name)
		if err != nil {
			return err
		}
		return do(s, cfg, user)
	})
}

type loginLinkCmd struct {
	User           string `help:"Name of the user; default: the administrator."`
	ForgetPassword bool   `help:"Remove the user's password, sign out their browsers and end earlier links; the new link lets the user choose a password."`
	RevokeTokens   bool   `help:"With --forget-password: also revoke the user's access tokens."`
}

// Run prints a fresh one-time link.
func (c loginLinkCmd) Run(ctx context.Context) error {
	return withUser(ctx, c.User, func(s *store.Store, cfg config.Serve, user users.User) error {
		if c.ForgetPassword {
			if err := forgetPassword(ctx, s, user, c.RevokeTokens); err != nil {
				return err
			}
		}
		return printLink(ctx, s, user, server.PeopleURL(cfg))
	})
}

func userOrAdmin(ctx context.Context, s *store.Store, cfg config.Serve, name string) (users.User, error) {
	if name == "" {
		return s.Users.EnsureAdmin(ctx, cfg.Admin)
	}
	return s.Users.UserByName(ctx, name)
}

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token and print it, only this once."`
	List   tokenListCmd   `cmd:"" help:"List tokens."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke a token."`
}

type tokenCreateCmd struct {
	Name  string `arg:"" optional:"" default:"script" help:"Name of the token: what it is for."`
	User  string `help:"User who owns the token; default: the administrator."`
	Scope string `enum:"read,chat,administration" default:"administration" help:"What it may: ${enum}."`
	Days  int    `help:"How many days it is good; 0: until it is revoked."`
}

// Run prints a fresh token.
func (c tokenCreateCmd) Run(ctx context.Context) error {
	return withUser(ctx, c.User, func(s *store.Store, cfg config.Serve, user users.User) error {
		token, hash := secret.NewToken()
		made := users.Token{Name: c.Name, Scope: users.Scope(c.Scope)}
		if c.Days > 0 {
			made.ExpiresAt = new(time.Now().AddDate(0, 0, c.Days))
		}
		if _, err := s.Users.GrantToken(ctx, user.ID, made, hash); err != nil {
			return err
		}
		fmt.Println(token)
		return nil
	})
}

type tokenListCmd struct {
	User string `help:"User who owns the tokens; default: the administrator."`
}

// Run lists tokens, never their secrets.
func (c tokenListCmd) Run(ctx context.Context) error {
	return withUser(ctx, c.User, func(s *store.Store, cfg config.Serve, user users.User) error {
		tokens, err := s.Users.Tokens(ctx, user.ID)
		if err != nil {
			return err
		}
		return table(os.Stdout, strings.Join([]string{"ID", "NAME", "SCOPE", "CREATED", "EXPIRES", "LAST USED"}, "\t"), tokens, func(t users.Token) []any {
			used, expires := "never", "never"
			if t.LastUsedAt != nil {
				used = t.LastUsedAt.Format(time.RFC3339)
			}
			if t.ExpiresAt != nil {
				expires = t.ExpiresAt.Format(time.RFC3339)
			}
			return []any{t.ID, t.Name, t.Scope, t.CreatedAt.Format(time.RFC3339), expires, used}
		})
	})
}

type tokenRevokeCmd struct {
	ID   int64  `arg:"" help:"Id of the token, as xbot token list prints it."`
	User string `help:"User who owns the token; default: the administrator."`
}

// Run revokes a token.
func (c tokenRevokeCmd) Run(ctx context.Context) error {
	return withUser(ctx, c.User, func(s *store.Store, _ config.Serve, user users.User) error {
		return s.Users.RevokeToken(ctx, user.ID, c.ID)
	})
}

type temporalCmd struct {
	Env temporalEnvCmd `cmd:"" help:"Print the variables that the temporal CLI needs: eval \"$(xbot temporal env)\"."`
}

type temporalEnvCmd struct{}

// Run prints shell assignments for the temporal CLI.
func (temporalEnvCmd) Run() error {
	cfg, err := load[config.Serve]()
	if err != nil {
		return err
	}
	e, err := localstack.Read(cfg.Dir)
	if err != nil {
		return fault.Errorf(fault.Unavailable, "there is no local Temporal in %s yet: start \"xbot serve\" first", cfg.Dir)
	}
	for _, pair := range [][2]string{
		{"TEMPORAL_ADDRESS", e.Temporal.Address}, {"TEMPORAL_NAMESPACE", e.Temporal.Namespace}, {"TEMPORAL_TLS", "true"},
		{"TEMPORAL_TLS_SERVER_CA_CERT_PATH", e.Temporal.CAFile}, {"TEMPORAL_TLS_CLIENT_CERT_PATH", e.Temporal.CertFile},
		{"TEMPORAL_TLS_CLIENT_KEY_PATH", e.Temporal.KeyFile}, {"TEMPORAL_TLS_SERVER_NAME", e.Temporal.ServerName},
	} {
		fmt.Printf("export %s='%s'\n", pair[0], strings.ReplaceAll(pair[1], "'", `'\''`))
	}
	return nil
}

// say prints a line to the operator.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) } // a closed terminal is no reason to stop
