package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Remote is a tool of an MCP server as the server has it. Permission rules are about the server and the tool, however the two are joined to a
// name for models. It is nil for any other tool.
type Remote struct {
	Server, Tool string // as the server of that name names it
	Hashed       string // the name that models call it by where others are alike

	Address     string          // where requests go: the URL, or the command
	Description string          // in the words of the server
	Schema      json.RawMessage // of its arguments
	Hints       json.RawMessage // what the server says of its effects
}

// Names are the names by which only this tool is meant, beside the one that models call it by.
func (r *Remote) Names() []string {
	if r == nil {
		return nil
	}
	return []string{r.Hashed, "mcp_" + r.Server + "_" + r.Tool, "mcp__" + r.Server + "__" + r.Tool}
}

// parts of a pin, in their order, as people are told of them.
var parts = []string{"address", "description", "arguments", "annotations"}

// Pin identifies what a person allows of the tool: its server's address, its description, its arguments and its annotations. Empty: it is no tool
// of an MCP server.
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

// Changed names what is another one than when the tool was pinned, with blanks between.
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
