package main

import (
	"context"
	"errors"
	"os"

	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/localstack"
	"xbot/internal/host/rotation"
	"xbot/internal/secret"
	"xbot/internal/store"
)

type keyCmd struct {
	Rotate keyRotateCmd `cmd:"" help:"Make a new key and encrypt all stored secrets with it; servers may run meanwhile."`
	Drop   keyDropCmd   `cmd:"" help:"Delete the stored secrets that the current key cannot decrypt; their bots and triggers need new ones."`
}

type keyRotateCmd struct{}

// Run changes the key. Repeated after a crash it continues where it was.
func (keyRotateCmd) Run(ctx context.Context) error {
	return withKey(ctx, func(ring *secret.Keyring, s *store.Store, given bool) error {
		n, err := rotation.Rotate(ctx, ring, s.Secrets)
		if err != nil {
			return err
		}
		say(os.Stdout, "The installation has a new key; %s sealed with it. Links to files that were made before are void.", several(n, "secret"))
		if given {
			say(os.Stdout, "Leave the old key out of XBOT_ENCRYPTION_KEY in all processes now.")
		}
		return nil
	})
}

type keyDropCmd struct{}

// Run gives up what cannot be read.
func (keyDropCmd) Run(ctx context.Context) error {
	return withKey(ctx, func(ring *secret.Keyring, s *store.Store, _ bool) error {
		dropped, err := rotation.Drop(ctx, ring, s.Secrets)
		if err != nil {
			return err
		}
		for _, was := range dropped {
			say(os.Stdout, "Gave up the secret of %s %s.", was.Kind, was.Name)
		}
		say(os.Stdout, "%s given up.", several(len(dropped), "secret"))
		return nil
	})
}

// withKey opens the database, for which it starts the local Postgres where no server runs: a server with a lost key refuses to start.
func withKey(ctx context.Context, do func(ring *secret.Keyring, s *store.Store, given bool) error) (err error) {
	s, cfg, closeStore, err := openStore(ctx)
	if fault.Is(err, fault.Unavailable) && cfg.Database.URL == "" {
		_, stop, failed := localstack.StartPostgres(ctx, localstack.Config{Home: cfg.Dir, Namespace: cfg.Namespace, TemporalPort: cfg.TemporalPort, UIPort: cfg.UIPort, PostgresBin: cfg.PostgresBin})
		if failed != nil {
			return errors.Join(err, failed)
		}
		defer func() { err = errors.Join(err, stop(context.WithoutCancel(ctx))) }()
		s, cfg, closeStore, err = openStore(ctx)
	}
	if err != nil {
		return err
	}
	defer closeStore()
	ring, err := secret.OpenKeyring(cfg.Dir, cfg.Key)
	if err != nil {
		return err
	}
	return do(ring, s, cfg.Key != "")
}

// lookSecrets opens everything that is sealed with the installation's key.
func lookSecrets(ctx context.Context, _ *installation) (string, error) {
	return fromStore(ctx, func(s *store.Store, cfg config.Serve) (string, error) {
		ring, err := secret.OpenKeyring(cfg.Dir, cfg.Key)
		if err != nil {
			return "", err
		}
		bad, err := rotation.Unreadable(ctx, ring, s.Secrets)
		if err != nil {
			return "", err
		}
		if len(bad) > 0 {
			return "", fault.Errorf(fault.Invalid, "%s cannot be opened with the installation's key, such as that of %s %s: put the right key back, or set them anew", several(len(bad), "stored secret"), bad[0].Kind, bad[0].Name)
		}
		all, err := s.Secrets.Secrets(ctx)
		if err != nil {
			return "", err
		}
		note := ""
		if len(ring.Keys()) > 1 {
			note = "; two keys are in use: \"xbot key rotate\" ends the change of the key"
		}
		return several(len(all), "stored secret") + " can be opened" + note, nil
	})
}
