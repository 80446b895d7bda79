package endpoint

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/fault"
	"xbot/internal/jsonlimit"
)

const (
	// OpenBody is the largest body of a request that needs no sign-in, in bytes.
	OpenBody = 8 << 10
	// maxName bounds the name of a member, in bytes: the place of an error repeats the names that lead to it.
	maxName = 256
)

// Formats returns the formats of bodies: JSON within limits, which are checked before a body is decoded and validated.
func Formats(limits jsonlimit.Limits) map[string]huma.Format {
	bodies := huma.DefaultJSONFormat
	bodies.Unmarshal = func(body []byte, into any) error {
		if err := limits.Unmarshal(body, into); err != nil {
			return err
		}
		if tree, ok := into.(*any); ok { // is validated alone: huma decodes the body once more for the handler
			return checkNames(*tree)
		}
		return nil
	}
	return map[string]huma.Format{"application/json": bodies, "json": bodies}
}

// checkNames refuses long names of members in a tree, and escapes the characters in names by which huma takes the place of an error apart: with one of
// them a name would stay in the places of all later errors, which would grow with each.
func checkNames(tree any) error {
	switch tree := tree.(type) {
	case []any:
		for _, element := range tree {
			if err := checkNames(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range slices.Collect(maps.Keys(tree)) {
			if len(name) > maxName {
				return fault.Errorf(fault.TooLarge, "the name of a member has more than %d bytes", maxName)
			}
			value := tree[name]
			if err := checkNames(value); err != nil {
				return err
			}
			if strings.ContainsAny(name, ".[%") {
				delete(tree, name)
				tree[escape.Replace(name)] = value
			}
		}
	}
	return nil
}

// escape gives different names different ones.
var escape = strings.NewReplacer("%", "%25", ".", "%2E", "[", "%5B")
