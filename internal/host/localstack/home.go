package localstack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// home is the product's folder. What the stack keeps there:
//
//	postgres/            the data of Postgres, owned by the account that serves it
//	temporal/tls/        authority and certificates, made at the first start
//	localstack.json      what was chosen at the first start, such as ports
//	secrets/             one file a password or token
//	run/                 locks and logs; nothing in it is missed after a stop
type home string

// openHome makes the folders that are missing, private to this user.
func openHome(path string) (home, error) {
	if path == "" {
		return "", errors.New("the local stack needs a folder for its data; set XBOT_HOME")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the home folder: %w", err)
	}
	h := home(path)
	for _, dir := range []string{path, h.path("temporal"), h.tls(""), h.path("secrets"), h.path("run")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("make the data folder %s: %w; set XBOT_HOME to one that this user may write", dir, err)
		}
	}
	return h, nil
}

func (h home) path(parts ...string) string {
	return filepath.Join(append([]string{string(h)}, parts...)...)
}

func (h home) tls(name string) string    { return h.path("temporal", "tls", name) }
func (h home) secret(name string) string { return h.path("secrets", name) }
func (h home) run(name string) string    { return h.path("run", name) }

// writePrivate writes a file that only this user may read; it is there completely or not at all.
func writePrivate(path string, text []byte) error {
	draft, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // CreateTemp's mode is 0600
	if err != nil {
		return err
	}
	_, err = draft.Write(text)
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(draft.Name()))
	}
	return nil
}
