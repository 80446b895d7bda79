// Package peerauth authenticates requests between the processes of one installation.
package peerauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
)

// minKey is the least length of the key that processes of one server share, in bytes.
const minKey = 32

// Guard lets requests with the key through. Expose its endpoint on a private network only; each request contains the key, so
// use TLS beyond one machine.
func Guard(key string, next http.Handler) (http.Handler, error) {
	if len(key) < minKey {
		return nil, fmt.Errorf("the internal key needs at least %d characters", minKey)
	}
	return GuardAny(func() []string { return []string{key} }, next), nil
}

// GuardAny is Guard for keys that may change while the process runs.
func GuardAny(keys func() []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, right := sha256.Sum256([]byte(r.Header.Get("Authorization"))), 0
		for _, key := range keys() {
			want := sha256.Sum256([]byte("Bearer " + key))
			right |= subtle.ConstantTimeCompare(got[:], want[:])
		}
		if right != 1 {
			http.Error(w, "the internal key is wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
