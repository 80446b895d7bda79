package channel

import (
	"encoding/json"
	"errors"
)

// Decode reads JSON of a platform into v as far as it fits: a member of another type than the documents say stays empty, for
// one odd member must not cost a person's message. Its error says that it is no JSON; what v needs is for the caller to ask.
func Decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}
