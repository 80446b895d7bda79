// Package inside guards what the processes of one server ask each other.
package inside

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
)

// minKey is the least length of the key that processes of one server share, in bytes.
const minKey = 32

// Guard lets through who knows the key. What is behind it belongs on a private network; the key travels in each request, so
// use TLS beyond one machine.
func Guard(key string, next http.Handler) (http.Handler, error) {
	if len(key) < minKey {
		return nil, fmt.Errorf("the internal key needs at least %d characters", minKey)
	}
	want := sha256.Sum256([]byte("Bearer " + key))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			http.Error(w, "the internal key is wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}
