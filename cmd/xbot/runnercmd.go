package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"xbot/ingress/runners/manage"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/sandbox/runners"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/user/users"
	"xbot/server"
)

type runnerCmd struct {
	Create runnerCreateCmd `cmd:"" help:"Make a runner and print its token on standard output, only this once."`
	Token  runnerTokenCmd  `cmd:"" help:"Make a new token for a runner; the old one stops working."`
	List   runnerListCmd   `cmd:"" help:"List the runners of all users."`
	Revoke runnerRevokeCmd `cmd:"" help:"Revoke the token of a runner and close its connection."`
}

// runnerOwner selects the owner of a runner.
type runnerOwner struct {
	User    string          `xor:"owner" help:"User who owns the runner; default: the administrator."`
	Session chat.SessionKey `xor:"owner" help:"Conversation whose owner owns the runner: the group, where it is one of a group."`
}

type runnerCreateCmd struct {
	runnerOwner

	Name string `arg:"" help:"Name of the runner; \"local\" is the server's own host, for administrators."`
}

// Run makes a runner and prints its token.
func (c runnerCreateCmd) Run(ctx context.Context) error {
	return c.withOwner(ctx, func(s *store.Store, cfg config.Serve, user users.User) error {
		if err := mayBeNamed(user, c.Name); err != nil {
			return err
		}
		token, hash := secret.NewToken()
		if err := s.Runners.GrantRunner(ctx, user.ID, c.Name, hash); err != nil {
			return err
		}
		sayToken(cfg, token, "Runner %s of %s is made.", c.Name, user.Name)
		return nil
	})
}

// mayBeNamed checks the name of a new runner. The runner of the server's host gets the commands of administrators.
func mayBeNamed(user users.User, name string) error {
	switch {
	case name != resolver.Local:
		return resolver.CheckName(name)
	case !user.Admin:
		return fault.Errorf(fault.Denied, "%s is no administrator, and the runner %q is the server's own host: choose another name", user.Name, name)
	}
	return nil
}

// sayToken prints a token where a script reads it, and the sentences where a user does.
func sayToken(cfg config.Serve, token, format string, args ...any) {
	say(os.Stderr, format+" Its token follows, this once. Where its commands are to run:", args...)
	address, loopback := server.RunnerURL(server.PeopleURL(cfg))
	say(os.Stderr, "  xbot-runner --server %s --token-file FILE", address)
	if loopback {
		say(os.Stderr, "Only this machine reaches that address. For a runner elsewhere set XBOT_PUBLIC_URL to the one at which it reaches this server.")
	}
	say(os.Stdout, "%s", token)
}

type runnerTokenCmd struct {
	runnerOwner

	Name string `arg:"" complete:"runner" help:"Name of the runner."`
}

// Run prints a new token.
func (c runnerTokenCmd) Run(ctx context.Context) error {
	return c.withOwner(ctx, func(s *store.Store, cfg config.Serve, user users.User) error {
		token, hash := secret.NewToken()
		if err := s.Runners.RenewRunner(ctx, user.ID, c.Name, hash); err != nil {
			return err
		}
		drop(ctx, s, cfg, resolver.ID(user.ID, c.Name))
		sayToken(cfg, token, "Runner %s of %s has a new token; a connection with the old one is closed.", c.Name, user.Name)
		return nil
	})
}

type runnerRevokeCmd struct {
	runnerOwner

	Name string `arg:"" complete:"runner" help:"Name of the runner."`
}

// Run revokes a runner.
func (c runnerRevokeCmd) Run(ctx context.Context) error {
	return c.withOwner(ctx, func(s *store.Store, cfg config.Serve, user users.User) error {
		if err := s.Runners.RevokeRunner(ctx, user.ID, c.Name); err != nil {
			return err
		}
		drop(ctx, s, cfg, resolver.ID(user.ID, c.Name))
		say(os.Stdout, "Runner %s of %s is revoked; its connection is closed.", c.Name, user.Name)
		return nil
	})
}

// dropTimeout bounds the wait for the process that holds a connection.
const dropTimeout = 5 * time.Second

// drop closes the connection of a runner at once, if this machine has the key of the installation. Without the key, or
// without a reply, the holder checks the token within 15 s.
func drop(ctx context.Context, s *store.Store, cfg config.Serve, id sandbox.RunnerID) {
	if _, err := os.Stat(filepath.Join(cfg.Dir, "secret.key")); err != nil && cfg.Key == "" {
		return
	}
	key, err := secret.Load(cfg.Dir, cfg.Key)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, dropTimeout)
		defer cancel()
		err = sandbox.NewRouter(sandbox.RouterConfig{Holders: manage.Registry{Runners: s.Runners}, Key: key}).Drop(ctx, id)
	}
	if err != nil {
		say(os.Stderr, "The server could not be told (%s): it closes the connection within 15 seconds.", err)
	}
}

// withOwner opens the database and finds whose runner is meant.
func (o runnerOwner) withOwner(ctx context.Context, do func(*store.Store, config.Serve, users.User) error) error {
	if o.Session == "" {
		return withUser(ctx, o.User, do)
	}
	return withStore(ctx, func(s *store.Store, cfg config.Serve) error {
		owner, err := s.Users.SessionOwner(ctx, o.Session)
		if err != nil {
			return err
		}
		return do(s, cfg, owner)
	})
}

type runnerListCmd struct{}

// Run lists runners and the data that they reported.
func (runnerListCmd) Run(ctx context.Context) error {
	return withStore(ctx, func(s *store.Store, _ config.Serve) error {
		all, err := s.Runners.Runners(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			say(os.Stdout, "There are no runners yet: xbot runner create NAME makes one.")
			return nil
		}
		return table(os.Stdout, "NAME\tUSER\tKIND\tSTATE\tVERSION\tCONFINEMENT", all, func(r runners.Runner) []any {
			version, confinement := "-", "-"
			if r.Info != nil {
				version, confinement = r.Info.Version, r.Info.Confinement
			}
			return []any{r.Name, r.Owner, kindOf(r), stateOf(r), version, confinement}
		})
	})
}

// kindOf returns the kind of a runner for a line with its name: "local" would appear there twice.
func kindOf(r runners.Runner) string {
	switch kind := manage.KindOf(r); kind {
	case chat.RunnerLocal:
		return "this host"
	case chat.RunnerDocker:
		return "container"
	default:
		return kind
	}
}

func stateOf(r runners.Runner) string {
	if r.Online {
		return "online"
	}
	return "offline"
}
