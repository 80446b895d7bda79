// Package secret holds the installation's key and makes and hashes tokens. There is no plaintext mode: a key that is
// not given is generated at first start, in a file that only its owner can read.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xbot/internal/fault"
)

// keyBytes is the size of the key: AES-256.
const keyBytes = 32

// Key is the installation's key. It must be the same in all processes.
type Key [keyBytes]byte

// String keeps a key out of logs.
func (Key) String() string { return "[secret key]" }

// Load returns the key given in base64, or the one in <home>/secret.key, which it makes at first start.
func Load(home, given string) (Key, error) {
	if given != "" {
		return decode(given, "XBOT_ENCRYPTION_KEY")
	}
	path := filepath.Join(home, "secret.key")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = generate(path)
	}
	if err != nil {
		return Key{}, fault.Errorf(fault.Invalid, "the key file cannot be used: %w", err)
	}
	return decode(strings.TrimSpace(string(text)), path)
}

// generate writes a fresh key unless another process was faster, and returns what is there.
func generate(path string) ([]byte, error) {
	var key Key
	if _, err := rand.Read(key[:]); err != nil {
		return nil, err
	}
	text := base64.StdEncoding.EncodeToString(key[:])
	tmp, err := os.CreateTemp(filepath.Dir(path), ".secret-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // its content is linked under its own name
	if _, err := tmp.WriteString(text + "\n"); err != nil {
		return nil, err
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path)
}

func decode(text, source string) (Key, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != keyBytes {
		return Key{}, fault.Errorf(fault.Invalid, "%s must be %d bytes in base64; \"openssl rand -base64 32\" makes one", source, keyBytes)
	}
	return Key(raw), nil
}

// Derive returns a key for one purpose, so that no key is used for two.
func (k Key) Derive(purpose string) []byte {
	out, err := hkdf.Key(sha256.New, k[:], nil, "xbot "+purpose, keyBytes)
	if err != nil {
		panic(err) // only for impossible sizes
	}
	return out
}

// Seal encrypts with AES-256-GCM; the nonce stands before the text.
func (k Key) Seal(plain []byte) []byte {
	gcm := k.gcm()
	nonce := make([]byte, gcm.NonceSize())
	rand.Read(nonce) // never fails
	return gcm.Seal(nonce, nonce, plain, nil)
}

// Open decrypts what Seal made.
func (k Key) Open(sealed []byte) ([]byte, error) {
	gcm := k.gcm()
	if len(sealed) < gcm.NonceSize() {
		return nil, fault.Errorf(fault.Invalid, "stored secret is too short")
	}
	plain, err := gcm.Open(nil, sealed[:gcm.NonceSize()], sealed[gcm.NonceSize():], nil)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "a stored secret cannot be read with this key; was XBOT_ENCRYPTION_KEY changed?")
	}
	return plain, nil
}

func (k Key) gcm() cipher.AEAD {
	block, err := aes.NewCipher(k.Derive("storage"))
	if err != nil {
		panic(fmt.Sprintf("AES of a %d-byte key: %v", keyBytes, err))
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has the block size that GCM wants
	}
	return gcm
}
