// Package project asks users to agree to the MCP servers in the file .mcp.json of the folders in which their conversations work. Any program with
// write access may have written the file, the model above all: so nothing of it is used before the user has seen it and agreed to it, and exactly the
// servers agreed to are used, byte by byte. The file stays in its folder; rows keep the shown version.
package project

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
)

// maxFile limits a file, in bytes.
const maxFile = 128 << 10

// Entry is a server of a file.
type Entry struct {
	mcp.Draft

	Problem string // why it cannot be used; empty: it can
}

// Parse reads the servers of a file, in the order of their names. It returns Invalid if it is none, has more than 128 kB or more than 32 servers. One server that
// cannot be used has a Problem, and the others can be used.
func Parse(content []byte) ([]Entry, error) {
	if len(content) > maxFile {
		return nil, fault.Errorf(fault.Invalid, "%s has more than %d kB", mcp.ProjectFile, maxFile>>10)
	}
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if json.Unmarshal(content, &file) != nil {
		return nil, fault.Errorf(fault.Invalid, `%s is not JSON such as {"mcpServers": {"name": {"command": "npx", "args": ["-y", "some-server"]}}}`, mcp.ProjectFile)
	}
	if len(file.Servers) > mcpstore.MaxServers {
		return nil, fault.Errorf(fault.Invalid, "%s has more than %d servers", mcp.ProjectFile, mcpstore.MaxServers)
	}
	out := make([]Entry, 0, len(file.Servers))
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		d, err := mcp.ParseUnchecked(name, string(file.Servers[name]))
		e := Entry{Draft: d}
		if e.Name = name; err == nil {
			err = e.fill()
		}
		if err != nil {
			e.Problem = err.Error()
		}
		out = append(out, e)
	}
	return out, nil
}

// variable matches ${NAME}, or ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*(:-([^}]*))?\}`)

// fill replaces variables by their defaults. There are no other values: neither the server's environment nor that of a runner is for addresses
// and commands of untrusted files.
func (e *Entry) fill() error {
	missing := ""
	filled := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(ref string) string {
			parts := variable.FindStringSubmatch(ref)
			if parts[1] == "" && missing == "" {
				missing = ref
			}
			return parts[2]
		})
	}
	e.Command, e.URL = filled(e.Command), filled(e.URL)
	for i := range e.Args {
		e.Args[i] = filled(e.Args[i])
	}
	for _, values := range []map[string]string{e.Env, e.Headers} {
		for name, value := range values {
			values[name] = filled(value)
		}
	}
	if missing != "" {
		return fault.Errorf(fault.Invalid, "%.60s is not filled in: nothing of the environment is given to a project's servers; add the server on the page, with its value", missing)
	}
	return e.Check()
}
