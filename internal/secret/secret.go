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
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xbot/internal/fault"
)

// keyBytes is the size of the key: AES-256.
const keyBytes = 32

// Key is the installation's key. It must be the same in all processes.
type Key [keyBytes]byte

// String hides a key in logs.
func (Key) String() string { return "[secret key]" }

// Sealer is a Key, or a Keyring of them.
type Sealer interface {
	Seal(plain []byte) []byte
	Open(sealed []byte) ([]byte, error)
}

// Deriver is a Key, or a Keyring of them.
type Deriver interface {
	Derive(purpose string) []byte
}

var (
	_ Sealer  = Key{}
	_ Sealer  = (*Keyring)(nil)
	_ Deriver = Key{}
	_ Deriver = (*Keyring)(nil)
)

// Load returns the current key of OpenKeyring, for programs that only derive from it.
func Load(home, given string) (Key, error) {
	if given != "" {
		first, _, _ := strings.Cut(given, ",")
		return decode(strings.TrimSpace(first), "XBOT_ENCRYPTION_KEY")
	}
	path := filepath.Join(home, fileName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = generate(path)
	}
	if err != nil {
		return Key{}, fault.Errorf(fault.Invalid, "the key file cannot be used: %w", err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return decode(strings.TrimSpace(first), path)
}

// NewKey returns a random key.
func NewKey() (key Key) {
	rand.Read(key[:]) // never fails
	return key
}

// generate writes a fresh key unless another process was faster, and returns the stored one.
func generate(path string) ([]byte, error) {
	key := NewKey()
	text := base64.StdEncoding.EncodeToString(key[:])
	tmp, err := os.CreateTemp(filepath.Dir(path), ".secret-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // its content is linked under its final name
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

// InternalKey returns the key by which the processes of one server authenticate to each other.
func (k Key) InternalKey() string {
	return base64.RawURLEncoding.EncodeToString(k.Derive("internal endpoint"))
}

// Data sealed by Seal begins with sealMark and the name of the key. Data sealed by an older xbot has neither.
const (
	sealMark = "xk1\x00"
	idBytes  = 8
)

// id returns the name of a key, which reveals nothing about it.
func (k Key) id() []byte { return k.Derive("key id")[:idBytes] }

// ID returns the name of a key, which reveals nothing about it.
func (k Key) ID() string { return hex.EncodeToString(k.id()) }

// SealedBy returns the ID of the key that sealed the data; empty: an older xbot sealed it.
func SealedBy(sealed []byte) string {
	if len(sealed) < len(sealMark)+idBytes || string(sealed[:len(sealMark)]) != sealMark {
		return ""
	}
	return hex.EncodeToString(sealed[len(sealMark):][:idBytes])
}

// Seal encrypts with AES-256-GCM; the name of the key and the nonce precede the text.
func (k Key) Seal(plain []byte) []byte {
	gcm := k.gcm()
	nonce := make([]byte, gcm.NonceSize())
	rand.Read(nonce) // never fails
	head := slices.Concat([]byte(sealMark), k.id(), nonce)
	return gcm.Seal(head, nonce, plain, nil)
}

// Open decrypts the result of Seal.
func (k Key) Open(sealed []byte) ([]byte, error) {
	if SealedBy(sealed) == k.ID() {
		sealed = sealed[len(sealMark)+idBytes:]
	}
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
