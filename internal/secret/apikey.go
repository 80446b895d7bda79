package secret

import (
	"encoding/json"
	"errors"

	"xbot/internal/fault"
)

// keyName is the name of the key in the sealed object of an account at a service.
const keyName = "api_key"

// SealAPIKey encrypts a key of a service. It returns nil for an empty key.
func SealAPIKey(with Sealer, key string) []byte {
	if key == "" {
		return nil
	}
	plain, err := json.Marshal(map[string]string{keyName: key})
	if err != nil {
		panic(err) // a text always encodes
	}
	return with.Seal(plain)
}

// OpenAPIKey decrypts the result of SealAPIKey; empty: there is none.
func OpenAPIKey(with Sealer, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	plain, err := with.Open(sealed)
	if err != nil {
		return "", fault.Errorf(fault.Invalid, "its key cannot be read: enter it again (%w)", err)
	}
	var s map[string]string
	if err := json.Unmarshal(plain, &s); err != nil {
		return "", errors.New("its key is damaged: enter it again") // the error would quote it
	}
	if s[keyName] == "" {
		return "", fault.Errorf(fault.Invalid, "its key was given up with the installation's old key: enter it again")
	}
	return s[keyName], nil
}

// hinted is how many characters of a key users see, and longHint the minimum length of a key for that.
const (
	hinted   = 4
	longHint = 16
)

// Hint returns the end of a key, by which users recognize it.
func Hint(key string) string {
	switch {
	case key == "":
		return ""
	case len(key) < longHint:
		return "…"
	}
	return "…" + key[len(key)-hinted:]
}
