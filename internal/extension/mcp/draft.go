package mcp

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
)

// Limits of the description of a server.
const (
	maxCommand      = 1024     // bytes of a program
	maxArgs         = 64       // arguments
	maxArg          = 8 << 10  // bytes of one
	maxURL          = 2048     // bytes of an address
	maxValues       = 32       // variables or headers
	maxValue        = 8 << 10  // bytes of one
	maxInstructions = 8 << 10  // bytes
	maxDraft        = 64 << 10 // bytes of all together
)

var (
	serverName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
	envName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$")
)

// ownHeaders are headers that the protocol and the transport set themselves.
var ownHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Host", "Keep-Alive", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version",
	"Mcp-Session-Id", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// Draft is a new server or a change of one.
type Draft struct {
	chat.MCPConfig

	// Env and Headers are values by name. An empty one of a change keeps the stored value; an empty one of a new server has to be
	// entered before the server can be used.
	Env, Headers map[string]string
	Revision     int64 // of the stored one that it changes; 0: it is new
}

// tidy returns a draft without blanks around its parts, and with the transport that it means.
func (d Draft) tidy() Draft {
	d.Name, d.Command, d.URL = strings.TrimSpace(d.Name), strings.TrimSpace(d.Command), strings.TrimSpace(d.URL)
	d.Instructions, d.Account = strings.TrimSpace(d.Instructions), strings.TrimSpace(d.Account)
	if d.Transport == "" && d.URL != "" {
		d.Transport = chat.MCPHTTP
	}
	if d.Transport == "" {
		d.Transport = chat.MCPStdio
	}
	return d
}

// Check validates a draft: Invalid, with a sentence about the necessary change.
func (d Draft) Check() error {
	if !serverName.MatchString(d.Name) {
		return fault.Errorf(fault.Invalid, "%.40q cannot be the name of an MCP server: it takes 1 to 32 small letters, digits and dashes", d.Name)
	}
	if len(d.Instructions) > maxInstructions || !text(d.Instructions) {
		return fault.Errorf(fault.Invalid, "the instructions must be text of at most %d bytes", maxInstructions)
	}
	var err error
	switch d.Transport {
	case chat.MCPStdio:
		err = d.checkCommand()
	case chat.MCPHTTP, chat.MCPSSE:
		err = d.checkURL()
	default:
		err = fault.Errorf(fault.Invalid, "%.40q is no transport: it is stdio, http or sse", d.Transport)
	}
	if err == nil && d.size() > maxDraft {
		err = fault.Errorf(fault.Invalid, "the MCP server takes more than %d kB to describe", maxDraft>>10)
	}
	return err
}

func (d Draft) checkCommand() error {
	switch {
	case d.URL != "" || len(d.Headers) > 0:
		return fault.Errorf(fault.Invalid, "a server has either a command, with args and env, or a url, with headers")
	case d.Account != "":
		return fault.Errorf(fault.Invalid, "a connected account authorizes requests to a url; a command is given what it needs by env")
	case d.Command == "":
		return fault.Errorf(fault.Invalid, "the server has neither a command nor a url: give one of them")
	case len(d.Command) > maxCommand || !text(d.Command):
		return fault.Errorf(fault.Invalid, "the command must be the name or the path of a program, of at most %d bytes", maxCommand)
	case len(d.Args) > maxArgs:
		return fault.Errorf(fault.Invalid, "the command has more than %d arguments", maxArgs)
	}
	for i, arg := range d.Args {
		if len(arg) > maxArg || !text(arg) {
			return fault.Errorf(fault.Invalid, "argument %d of the command must be text of at most %d bytes", i+1, maxArg)
		}
	}
	return checkValues("environment variable", d.Env, func(name, value string) bool { return envName.MatchString(name) && text(value) })
}

func (d Draft) checkURL() error {
	if d.Command != "" || len(d.Args) > 0 || len(d.Env) > 0 {
		return fault.Errorf(fault.Invalid, "a server has either a command, with args and env, or a url, with headers")
	}
	u, err := url.Parse(d.URL)
	if err != nil || len(d.URL) > maxURL || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Fragment != "" {
		return fault.Errorf(fault.Invalid, "the url must be like https://mcp.example.com/mcp, without a name and a password in it: secrets belong into headers")
	}
	if d.Account != "" && u.Scheme != "https" && !oauth.IsLoopback(u.Hostname()) {
		return fault.Errorf(fault.Invalid, "the url must be https: the tokens of connected accounts go there, and nobody on the way may read them; http is for this machine alone")
	}
	for name := range d.Headers {
		if d.Account != "" && http.CanonicalHeaderKey(name) == "Authorization" {
			return fault.Errorf(fault.Invalid, "either the connected account or a header of its own authorizes requests: leave one of them out")
		}
	}
	return checkValues("header", d.Headers, headerFits)
}

// headerFits reports whether a header may be set, and can have the value.
func headerFits(name, value string) bool {
	return headerName.MatchString(name) && !slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)) &&
		!strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) && utf8.ValidString(value)
}

func checkValues(kind string, values map[string]string, fits func(name, value string) bool) error {
	if len(values) > maxValues {
		return fault.Errorf(fault.Invalid, "there are more than %d values of the kind %s", maxValues, kind)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > maxValue || !fits(name, values[name]) {
			return fault.Errorf(fault.Invalid, "the %s %.60q cannot be set: its name is reserved or malformed, or its value is no text of at most %d bytes", kind, name, maxValue)
		}
	}
	return nil
}

// text reports whether a text can be stored and be part of a command.
func text(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
}

// size returns the approximate size of the draft, in bytes.
func (d Draft) size() int {
	n := len(d.Name) + len(d.Command) + len(d.URL) + len(d.Instructions)
	for _, arg := range d.Args {
		n += len(arg)
	}
	for _, values := range []map[string]string{d.Env, d.Headers} {
		for name, value := range values {
			n += len(name) + len(value)
		}
	}
	return n
}

// sameTarget reports whether a draft has the command or the origin of a stored server, so that its secrets may go there.
func (d Draft) sameTarget(old chat.MCPConfig) bool {
	return d.Transport == chat.MCPStdio && old.Transport == chat.MCPStdio && d.Command == old.Command && slices.Equal(d.Args, old.Args) ||
		d.Transport != chat.MCPStdio && old.Transport != chat.MCPStdio && oauth.Origin(d.URL) == oauth.Origin(old.URL)
}
