package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// maxToolName limits the name of a tool, in bytes: providers take no more.
	maxToolName = 64
	// digits is the number of hexadecimal digits of a hash in a name.
	digits = 8
)

// offered is a tool by its name at the server.
type offered struct{ server, tool string }

// toolNames gives tools the names under which models call them, mcp_{server}_{tool}: at most 64 letters, digits, dashes and underscores. Names
// that are too long end in a hash instead. So do all of several that differ only in case, dashes and underscores, which tool lookup
// ignores: none of them has the plain name, so that no call that was meant for one reaches another that came later. The names
// depend on the tools alone, not on their order. A tool whose hashed name is taken has none.
func toolNames(tools []offered) map[offered]string {
	plain := make(map[offered]string, len(tools))
	alike := map[string]int{}
	for _, t := range tools {
		if _, twice := plain[t]; !twice {
			plain[t] = plainName(t)
			alike[folded(plain[t])]++
		}
	}
	names, taken := make(map[offered]string, len(tools)), map[string][]offered{}
	for t, name := range plain {
		if alike[folded(name)] > 1 || len(name) > maxToolName {
			name = hashedName(name, t)
		}
		names[t] = name
		taken[folded(name)] = append(taken[folded(name)], t)
	}
	for _, several := range taken {
		if len(several) > 1 {
			for _, t := range several {
				delete(names, t)
			}
		}
	}
	return names
}

func plainName(t offered) string {
	return "mcp_" + t.server + "_" + strings.Map(func(r rune) rune {
		if r == 0 {
			return -1 // of the tool that this package adds
		}
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, t.tool)
}

// hashedName returns a name with a hash of the whole, cut to the maximum length.
func hashedName(name string, t offered) string {
	sum := sha256.Sum256([]byte(t.server + "\x00" + t.tool))
	return name[:min(len(name), maxToolName-digits-1)] + "_" + hex.EncodeToString(sum[:digits/2])
}

// folded returns a name as package tool compares names.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
