package subscription

import (
	"encoding/json"
	"errors"

	"xbot/internal/fault"
	"xbot/internal/secret"
)

// keyName is the name of the key in the object that is sealed of a subscription.
const keyName = "api_key"

// seal encrypts a key; nil: there is none.
func seal(with secret.Sealer, key string) []byte {
	if key == "" {
		return nil
	}
	plain, err := json.Marshal(map[string]string{keyName: key})
	if err != nil {
		panic(err) // a text always encodes
	}
	return with.Seal(plain)
}

// unseal reads the key of a subscription; empty: it has none.
func unseal(with secret.Sealer, sealed []byte) (string, error) {
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

// hinted is how many characters of a key people see, and longHint how long it must be for that.
const (
	hinted   = 4
	longHint = 16
)

// hint is the end of a key, by which people know it again.
func hint(key string) string {
	switch {
	case key == "":
		return ""
	case len(key) < longHint:
		return "…"
	}
	return "…" + key[len(key)-hinted:]
}
