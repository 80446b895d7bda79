package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Remote is a tool of an MCP server as the server describes it. Permission rules are about the server and the tool, not about their joined name for
// models. It is nil for other tools.
type Remote struct {
	Server, Tool string // the name of the server, and the server's name of the tool
	Hashed       string // the name for models if several tools have similar names

	Address     string          // target of requests: the URL, or the command
	Description string          // the server's description
	Schema      json.RawMessage // of its arguments
	Hints       json.RawMessage // the server's annotations
}

// Names returns the names that mean only this tool, besides its name for models.
func (r *Remote) Names() []string {
	if r == nil {
		return nil
	}
	return []string{r.Hashed, "mcp_" + r.Server + "_" + r.Tool, "mcp__" + r.Server + "__" + r.Tool}
}

// parts names the parts of a pin, in order, as shown to users.
var parts = []string{"address", "description", "arguments", "annotations"}

// Pin identifies the version of the tool that a user allows: address of its server, description, arguments and annotations. Empty for nil.
func (r *Remote) Pin() string {
	if r == nil {
		return ""
	}
	sums := make([]string, len(parts))
	for i, part := range []string{r.Address, r.Description, string(r.Schema), string(r.Hints)} {
		sum := sha256.Sum256([]byte(part))
		sums[i] = hex.EncodeToString(sum[:8])
	}
	return strings.Join(sums, ".")
}

// Changed names the parts that have changed since the tool was pinned, separated by blanks.
func (r *Remote) Changed(pin string) string {
	was := strings.Split(pin, ".")
	if len(was) != len(parts) {
		return strings.Join(parts, " ")
	}
	var out []string
	for i, is := range strings.Split(r.Pin(), ".") {
		if was[i] != is {
			out = append(out, parts[i])
		}
	}
	return strings.Join(out, " ")
}
