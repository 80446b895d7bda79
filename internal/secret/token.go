package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// tokenBytes is the size of a token: 256 bits.
const tokenBytes = 32

// NewToken returns a random token for a user or a program, and the hash to store. The token itself is never stored.
func NewToken() (token string, hash []byte) {
	raw := make([]byte, tokenBytes)
	rand.Read(raw) // never fails
	token = base64.RawURLEncoding.EncodeToString(raw)
	return token, HashToken(token)
}

// HashToken returns the stored hash of a token. Tokens are random, so they cannot be guessed from a plain hash; looking a token up by its
// hash compares nothing that an attacker could time.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
