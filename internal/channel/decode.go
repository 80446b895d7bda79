package channel

import (
	"encoding/json"
	"errors"
)

// Decode reads JSON of a platform into v as far as it fits: a member whose type is not the documented one stays empty, so
// that it does not cost a user's message. It fails if raw is no JSON; the caller checks for required members.
func Decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}
