// Package rotation changes the installation's key: it seals everything again that is sealed with it, while servers run, and
// so that a crash at any point leaves all of it readable. It neither makes nor uses secrets.
package rotation

import (
	"context"
	"fmt"

	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/secret/secretstore"
)

// Store is the store of sealed secrets.
type Store interface {
	Secrets(ctx context.Context) ([]secretstore.Sealed, error)
	RetireKeysBut(ctx context.Context, current string, others []string) error
	Reseal(ctx context.Context, was secretstore.Sealed, now []byte) (bool, error)
	DropPayloadKey(ctx context.Context, was secretstore.Sealed) error
}

var _ Store = (*secretstore.Store)(nil)

// rounds is how often secrets that others changed during a round are looked at again.
const rounds = 5

// Rotate makes a new key and seals everything with it. During the rotation the key file holds both keys. Repeated after a crash
// it continues where it was. It returns how many secrets there are.
func Rotate(ctx context.Context, ring *secret.Keyring, s Store) (int, error) {
	if bad, err := Unreadable(ctx, ring, s); err != nil || len(bad) > 0 {
		return 0, firstOf(err, refuse(bad))
	}
	if err := ring.Begin(); err != nil {
		return 0, err
	}
	keys := ring.Keys()
	others := make([]string, 0, len(keys)-1)
	for _, key := range keys[1:] {
		others = append(others, key.ID())
	}
	// From here on a server that still seals with the old key is refused and tries again with the new one.
	if err := s.RetireKeysBut(ctx, keys[0].ID(), others); err != nil {
		return 0, err
	}
	for range rounds {
		n, left, err := reseal(ctx, ring, s)
		if err != nil {
			return n, err
		}
		if left == 0 {
			return n, ring.End()
		}
	}
	return 0, fault.Errorf(fault.Unavailable, "secrets keep changing while they are sealed anew; both keys are kept: run this again")
}

// reseal seals again what is not sealed with the current key, and reports how much other writers changed in the meantime.
func reseal(ctx context.Context, ring *secret.Keyring, s Store) (n, left int, err error) {
	all, err := s.Secrets(ctx)
	if err != nil {
		return 0, 0, err
	}
	current := ring.Keys()[0]
	for _, was := range all {
		if secret.SealedBy(was.Data) == current.ID() {
			continue
		}
		plain, err := ring.Open(was.Data)
		if err != nil {
			return 0, 0, fmt.Errorf("%s %s: %w", was.Kind, was.Name, err)
		}
		done, err := s.Reseal(ctx, was, current.Seal(plain))
		if err != nil {
			return 0, 0, err
		}
		if !done {
			left++
		}
	}
	return len(all), left, nil
}

// Unreadable lists the secrets that no key of the ring opens.
func Unreadable(ctx context.Context, ring *secret.Keyring, s Store) (bad []secretstore.Sealed, err error) {
	all, err := s.Secrets(ctx)
	if err != nil {
		return nil, err
	}
	for _, sealed := range all {
		if _, err := ring.Open(sealed.Data); err != nil {
			bad = append(bad, sealed)
		}
	}
	return bad, nil
}

// Check refuses a ring that opens nothing of what is stored: it is another installation's key.
func Check(ctx context.Context, ring *secret.Keyring, s Store) error {
	all, err := s.Secrets(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	bad, err := Unreadable(ctx, ring, s)
	if err != nil || len(bad) < len(all) {
		return err
	}
	return fault.Errorf(fault.Invalid, "the installation's key opens none of the %d secrets in the database: it is the key of another installation. "+
		"Put the right one into XBOT_ENCRYPTION_KEY or secret.key. If it is lost, \"xbot key drop\" gives the secrets up, and bots and triggers need new ones", len(all))
}

// Drop gives up what no key of the ring opens. A bot is left with a secret whose use reports that, a trigger with an unknown
// one; an administrator sets both again. It returns what it gave up.
func Drop(ctx context.Context, ring *secret.Keyring, s Store) ([]secretstore.Sealed, error) {
	bad, err := Unreadable(ctx, ring, s)
	if err != nil {
		return nil, err
	}
	for _, was := range bad {
		switch was.Kind {
		case secretstore.SealedPayload:
			err = s.DropPayloadKey(ctx, was)
		case secretstore.SealedTrigger:
			token, _ := secret.NewToken()
			_, err = s.Reseal(ctx, was, ring.Seal([]byte(token)))
		default:
			_, err = s.Reseal(ctx, was, ring.Seal([]byte("{}")))
		}
		if err != nil {
			return nil, err
		}
	}
	return bad, nil
}

func refuse(bad []secretstore.Sealed) error {
	if len(bad) == 0 {
		return nil
	}
	return fault.Errorf(fault.Invalid, "%d secrets cannot be opened with the present key, such as that of %s %s: a new key would lose them. "+
		"Put the right key back, or give them up with \"xbot key drop\"", len(bad), bad[0].Kind, bad[0].Name)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
