package wire

import (
	"strings"
	"unicode/utf8"
)

// Secret is a variable whose value only the command may read: it is kept in no file and hidden in what the command writes.
type Secret struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// String leaves the value out, so that no log and no error shows it.
func (s Secret) String() string { return s.Name + "=…" }

// GoString does, too.
func (s Secret) GoString() string { return s.String() }

// Limits of the secrets of a command.
const (
	MinSecret  = 8        // bytes of a value: a shorter one would be hidden in what has nothing to do with it
	MaxSecret  = 8 << 10  // bytes of a value
	MaxSecrets = 32       // of a command
	MaxSealed  = 16 << 10 // bytes of all values together
)

// CheckSecret returns Invalid with the fault of a value. Its words do not hold the value.
func CheckSecret(value string) error {
	switch {
	case len(value) < MinSecret:
		return Errorf(Invalid, "a secret value has at least %d characters: a shorter one would be hidden in what has nothing to do with it", MinSecret)
	case len(value) > MaxSecret:
		return Errorf(TooLarge, "a secret value has %d bytes and the limit is %d", len(value), MaxSecret)
	case !utf8.ValidString(value):
		return Errorf(Invalid, "a secret value is text in UTF-8: encode what is not, for example in base64")
	case value[0] <= ' ':
		return Errorf(Invalid, "a secret value does not begin with a space or a control character")
	case strings.ContainsRune(value, 0):
		return Errorf(Invalid, "a secret value holds no NUL bytes")
	}
	return nil
}

func validateSecrets(secrets []Secret) error {
	if len(secrets) > MaxSecrets {
		return Errorf(TooLarge, "a command has at most %d secret variables", MaxSecrets)
	}
	total := 0
	for _, s := range secrets {
		total += len(s.Value)
		if !isName(s.Name) {
			return Errorf(Invalid, "the name of a secret variable is made of letters, digits and underscores")
		}
		if err := CheckSecret(s.Value); err != nil {
			return err
		}
	}
	if total > MaxSealed {
		return Errorf(TooLarge, "the secret variables of a command have %d bytes and the limit is %d", total, MaxSealed)
	}
	return nil
}

func isName(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= MaxID
}
