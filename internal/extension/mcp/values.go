package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// values holds the secrets of a server: the values of its variables and headers, by name.
type values struct {
	Env     map[string]string `json:"env,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// String keeps values out of logs.
func (values) String() string { return "[values of an MCP server]" }

// given returns the values of a draft that are not empty.
func given(d Draft) values {
	return values{Env: filled(d.Env), Headers: filled(d.Headers)}
}

// Sealed returns a checked draft as a row, with its values sealed.
func (d Draft) Sealed(key secret.Sealer) mcpstore.Server {
	d.Trusted = false // a folder cannot declare a server trusted
	return mcpstore.Server{MCPServer: chat.MCPServer{MCPConfig: d.MCPConfig, EnvNames: slices.Sorted(maps.Keys(d.Env)), HeaderNames: slices.Sorted(maps.Keys(d.Headers))}, Secrets: given(d).seal(key)}
}

func filled(in map[string]string) map[string]string {
	out := maps.Clone(in)
	maps.DeleteFunc(out, func(_, value string) bool { return value == "" })
	return out
}

// seal encrypts values. It returns nil if there are none.
func (v values) seal(with secret.Sealer) []byte {
	if len(v.Env)+len(v.Headers) == 0 {
		return nil
	}
	plain, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts always encode
	}
	return with.Seal(plain)
}

// stored returns the values of a server; those that were dropped with the installation's old key are missing.
func stored(with secret.Sealer, s mcpstore.Server) (v values, err error) {
	if len(s.Secrets) == 0 {
		return v, nil
	}
	plain, err := with.Open(s.Secrets)
	if err != nil {
		return v, fault.Errorf(fault.Invalid, "the values of its variables and headers cannot be read: enter them again (%w)", err)
	}
	if json.Unmarshal(plain, &v) != nil { // the error would quote it
		return v, fault.Errorf(fault.Invalid, "the values of its variables and headers are damaged: enter them again")
	}
	return v, nil
}

// whole refuses values of which some are missing.
func (v values) whole(s mcpstore.Server) error {
	for _, name := range s.EnvNames {
		if _, ok := v.Env[name]; !ok {
			return missing(s, "environment variable", name)
		}
	}
	for _, name := range s.HeaderNames {
		if _, ok := v.Headers[name]; !ok {
			return missing(s, "header", name)
		}
	}
	return nil
}

func missing(s mcpstore.Server, kind, name string) error {
	if s.FromFile {
		return fault.Errorf(fault.Invalid, "the value of its %s %s is missing: set the variable that %s names, where the server takes its settings from, and restart the server", kind, name, FileName)
	}
	return fault.Errorf(fault.Invalid, "the value of its %s %s is missing: enter it on the page under Settings", kind, name)
}

// shortest is the minimum length of values that hide looks for, in bytes: shorter ones may be common words.
const shortest = 6

// hide removes the values, and the words of which they consist, from a text of a server or a transport.
func (v values) hide(text string) string {
	for _, all := range []map[string]string{v.Env, v.Headers} {
		for _, value := range all {
			for _, part := range append([]string{value}, strings.Fields(value)...) {
				if len(part) >= shortest {
					text = strings.ReplaceAll(text, part, "[hidden]")
				}
			}
		}
	}
	return text
}

// variables returns the variables of a command, as NAME=value in the order of their names.
func (v values) variables() []string {
	out := make([]string, 0, len(v.Env))
	for _, name := range slices.Sorted(maps.Keys(v.Env)) {
		out = append(out, name+"="+v.Env[name])
	}
	return out
}
