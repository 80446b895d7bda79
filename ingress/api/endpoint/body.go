package endpoint

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

const (
	// OpenBody is the largest body of a request that needs no sign-in, in bytes.
	OpenBody = 8 << 10
	// maxName bounds the name of a member, in bytes: the location of an error contains the names on its path.
	maxName = 256
)

// Formats returns body formats that check the JSON limits before a body is decoded and validated.
func Formats(limits jsonlimit.Limits) map[string]huma.Format {
	bodies := huma.DefaultJSONFormat
	bodies.Unmarshal = func(body []byte, into any) error {
		if err := limits.Unmarshal(body, into); err != nil {
			return err
		}
		if tree, ok := into.(*any); ok { // only this value is validated; huma decodes the body again for the handler
			return checkNames(*tree)
		}
		return nil
	}
	return map[string]huma.Format{"application/json": bodies, "json": bodies}
}

// checkNames refuses long member names in a tree, and escapes the characters at which huma splits the location of an error. Unescaped, such a name
// would stay in the locations of all later errors, and each would be longer.
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

// escape replaces the separators of huma's locations. Different names stay different.
var escape = strings.NewReplacer("%", "%25", ".", "%2E", "[", "%5B")
