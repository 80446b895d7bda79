package localstack

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// The secrets of a home, each in a file of this name.
const (
	adminPassword    = "postgres-admin"
	productPassword  = "postgres-xbot"
	temporalPassword = "postgres-temporal"
	uiToken          = "temporal-ui"
)

// keepSecret reads a secret, or makes it: 256 random bits as hexadecimal digits, which need no quoting anywhere.
func (h home) keepSecret(name string) (string, error) {
	secret, err := h.readSecret(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	bits := make([]byte, 32)
	rand.Read(bits) // never fails; the program ends if the system has no randomness
	secret = hex.EncodeToString(bits)
	if err := writePrivate(h.secret(name), []byte(secret+"\n")); err != nil {
		return "", fmt.Errorf("keep the secret %s: %w", name, err)
	}
	return secret, nil
}

func (h home) readSecret(name string) (string, error) {
	text, err := os.ReadFile(h.secret(name))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("%s is empty; restore it from a backup", h.secret(name))
	}
	return secret, nil
}
