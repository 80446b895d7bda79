package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/titanous/json5"

	"xbot/internal/fault"
)

// MaxBytes bounds the text of a document.
const MaxBytes = 256 << 10

// Faults are all that is wrong with a document, a sentence each that begins with the path of the member.
type Faults []string

// Error puts them under each other.
func (f Faults) Error() string { return strings.Join(f, "\n") }

// FaultsOf returns the sentences of an error of Parse.
func FaultsOf(err error) []string {
	if f, ok := errors.AsType[Faults](err); ok {
		return f
	}
	if err == nil {
		return nil
	}
	return []string{err.Error()}
}

// Parse reads a document of JSON5 and checks all of it. An error is Invalid and names everything that is wrong, with the
// nearest known name of each unknown member; FaultsOf takes it apart. Notes name what is understood but old, without
// effect, or worth a second thought.
func Parse(text []byte) (*Policy, []string, error) {
	if len(text) > MaxBytes {
		return nil, nil, fault.Errorf(fault.TooLarge, "the policy has %d bytes; at most %d are read", len(text), MaxBytes)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return &Policy{}, nil, nil
	}
	var tree any
	if err := json5.Unmarshal(text, &tree); err != nil {
		return nil, nil, fault.Errorf(fault.Invalid, "%w", Faults{syntax(text, err)})
	}
	var c check
	c.rename("", tree, reflect.TypeFor[Policy]())
	c.shape(tree)
	if len(c.faults) > 0 {
		return nil, nil, c.err()
	}
	plain, err := json.Marshal(tree)
	if err != nil {
		return nil, nil, fault.Errorf(fault.Invalid, "read the policy: %w", err)
	}
	p := &Policy{}
	if err := json.Unmarshal(plain, p); err != nil {
		return nil, nil, fault.Errorf(fault.Invalid, "read the policy: %w", err)
	}
	c.policy(p)
	if len(c.faults) > 0 {
		return nil, nil, c.err()
	}
	return p, c.notes, nil
}

// syntax says where a text is no JSON5.
func syntax(text []byte, err error) string {
	if bad, ok := errors.AsType[*json5.SyntaxError](err); ok && bad.Offset > 0 {
		before := text[:min(int(bad.Offset)-1, len(text))]
		line := bytes.Count(before, []byte("\n")) + 1
		column := len(before) - bytes.LastIndexByte(before, '\n')
		return sprintf("line %d, column %d: this is not JSON5: %s", line, column, err)
	}
	return sprintf("this is not JSON5: %s", err)
}

// JSON writes the document in its canonical form: indented JSON, members in the order of their documentation.
func (p *Policy) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(p); err != nil {
		panic(err) // made of strings and numbers
	}
	return b.Bytes()
}
