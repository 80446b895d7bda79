package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/mcp/toolschema"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// ProjectFile is the file of a folder that names MCP servers, in the form that MCP clients have in common.
const ProjectFile = ".mcp.json"

// Projects finds the servers of the folders in which conversations work.
type Projects interface {
	// InForce returns those of a conversation to which its user has agreed, from rows alone.
	InForce(ctx context.Context, at toolset.Place) ([]mcpstore.Server, error)
	// CheckAgreement refuses a call if the file has changed since the user agreed to it: Denied, with a sentence.
	CheckAgreement(ctx context.Context, person chat.UserID, p mcpstore.Project, box sandbox.Sandbox) error
}

// maxKept limits the servers whose offers this process caches.
const maxKept = 256

// Source offers the tools of MCP servers to conversations: of those of the installation and of the user. A user's server replaces
// the installation's of the same name, also while it is switched off: so a user can do without one. Tools are those that servers listed last;
// listing makes no connection.
//
// The annotations of a tool are trusted if an administrator trusts the server, which must be one of the installation. A tool that only reads then has
// the class read and does not act (tool.Spec.Acts), so that it needs no approval in the permission mode ask, and an idempotent one is retried after a
// crash. Tools of other servers act and are tried once. Nothing else that a server declares extends its rights: its tools are never Inward.
type Source struct {
	// Projects are the files .mcp.json of folders; nil: there are none. It is set before the source is used.
	Projects Projects

	rows        Rows
	connections *Connections
	read        toolset.Rows[[]mcpstore.Server]

	mu   sync.Mutex
	kept map[int64]chat.MCPOffers // by server; never changed once they are here
}

var _ toolset.Source = (*Source)(nil)

// NewSource returns a source whose tools call over the given connections.
func NewSource(rows Rows, connections *Connections) *Source {
	return &Source{rows: rows, connections: connections, kept: map[int64]chat.MCPOffers{}}
}

// Tools returns the tools of the servers that are in force at a place, sorted by server and name.
func (s *Source) Tools(ctx context.Context, at toolset.Place) ([]tool.Tool, error) {
	rows, err := s.servers(ctx, at)
	if err != nil {
		return nil, err
	}
	if s.Projects != nil && at.Session != "" {
		ofFolder, err := s.Projects.InForce(ctx, at)
		if err != nil {
			return nil, err
		}
		rows = slices.Concat(ofFolder, rows) // those of a name that a user chose, or an administrator, come last and win
	}
	all, err := s.named(ctx, serversAt(rows, at), at.User)
	if err != nil {
		return nil, err
	}
	out := make([]tool.Tool, len(all))
	for i, t := range all {
		out[i] = t
	}
	return out, nil
}

// named returns the tools of servers that have a name.
func (s *Source) named(ctx context.Context, servers []mcpstore.Server, person chat.UserID) ([]*serverTool, error) {
	var all []offered
	var made []*serverTool
	for _, server := range servers {
		offers, err := s.offers(ctx, server)
		if fault.Is(err, fault.NotFound) {
			continue // removed at this moment
		}
		if err != nil {
			return nil, err
		}
		for _, t := range s.toolsOf(server, offers, person) {
			if server.Project.ID != 0 {
				t.project, t.projects = server.Project, s.Projects
			}
			all, made = append(all, t.offered), append(made, t)
		}
	}
	names := toolNames(all)
	out := make([]*serverTool, 0, len(made))
	for _, t := range made {
		if t.spec.Name = names[t.offered]; t.spec.Name != "" {
			out = append(out, t)
		}
	}
	return out, nil
}

// maxTold limits the instructions of one server, in characters.
const maxTold = 1000

// Instructions returns the instructions that the owners of a user's servers have entered. The servers' instructions are left out: they are
// untrusted.
func (s *Source) Instructions(ctx context.Context, at toolset.Place) (string, error) {
	rows, err := s.servers(ctx, at)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range serversAt(rows, at) {
		if text := strings.TrimSpace(r.Instructions); text != "" {
			lines = append(lines, "- "+r.Name+": "+tool.OneLine(text, maxTold))
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return "# MCP servers\n\n" + strings.Join(lines, "\n"), nil
}

// servers returns those of the installation, followed by those of the user of a place.
func (s *Source) servers(ctx context.Context, at toolset.Place) ([]mcpstore.Server, error) {
	return s.read.At(at, func() ([]mcpstore.Server, error) { return s.rows.MCPServers(ctx, at.User) })
}

// serversAt returns the servers in force that can be used at a place: a group has no account that authorizes requests.
func serversAt(rows []mcpstore.Server, at toolset.Place) []mcpstore.Server {
	out := inForce(rows)
	if at.OfGroup {
		out = slices.DeleteFunc(out, func(r mcpstore.Server) bool { return r.Account != "" })
	}
	return out
}

// inForce returns the servers that apply to a user, in the order of their names.
func inForce(rows []mcpstore.Server) []mcpstore.Server {
	byName := map[string]mcpstore.Server{}
	for _, r := range rows { // the user's come last
		byName[r.Name] = r
	}
	out := make([]mcpstore.Server, 0, len(byName))
	for _, r := range byName {
		if r.Enabled {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b mcpstore.Server) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// offers returns the last list of a server, from the cache if it is current.
func (s *Source) offers(ctx context.Context, server mcpstore.Server) (chat.MCPOffers, error) {
	if server.Digest == "" {
		return chat.MCPOffers{}, nil
	}
	s.mu.Lock()
	kept, known := s.kept[server.ID]
	s.mu.Unlock()
	if known && kept.Digest == server.Digest {
		return kept, nil
	}
	offers, err := s.rows.MCPOffers(ctx, server.ID)
	if err != nil {
		return offers, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.kept {
		if len(s.kept) < maxKept {
			break
		}
		delete(s.kept, id)
	}
	s.kept[server.ID] = offers
	return offers, nil
}

// toolsOf returns the tools of a server, without names yet.
func (s *Source) toolsOf(server mcpstore.Server, offers chat.MCPOffers, person chat.UserID) []*serverTool {
	out := make([]*serverTool, 0, len(offers.Tools)+1)
	for _, t := range offers.Tools {
		parameters, names := toolschema.Split(t.Schema)
		out = append(out, &serverTool{
			connections: s.connections, server: server.ID, person: person, offered: offered{server.Name, t.Name}, names: names,
			spec: tool.Spec{Class: classOf(t.Hints, trusted(server)), Description: describe(t), Parameters: parameters, Optional: true, Group: server.Name, Remote: remote(server, t)},
		})
	}
	if len(offers.Resources) > 0 {
		out = append(out, resourceTool(s.connections, server, person, len(offers.Resources)))
	}
	if len(offers.Prompts) > 0 {
		out = append(out, promptTool(s.connections, server, person, offers.Prompts))
	}
	for _, t := range out {
		t.spec.OnRunner = server.Transport == chat.MCPStdio
		if t.spec.Remote == nil { // added by this package
			t.spec.Remote = remote(server, chat.MCPTool{Name: t.offered.tool})
			if !trusted(server) { // its request may carry text of the conversation to it
				t.spec.Class = chat.ClassOnce
			}
		}
	}
	slices.SortFunc(out, func(a, b *serverTool) int { return strings.Compare(a.offered.tool, b.offered.tool) })
	return out
}

// remote returns a tool as its server describes it.
func remote(server mcpstore.Server, t chat.MCPTool) *tool.Remote {
	hints, err := json.Marshal(t.Hints)
	if err != nil {
		panic(err) // hints are booleans
	}
	offer := offered{server.Name, t.Name}
	return &tool.Remote{
		Server: server.Name, Tool: strings.TrimSuffix(t.Name, "\x00"), Hashed: hashedName(plainName(offer), offer), Address: addressOf(server.MCPServer), Description: t.Title + "\n" + t.Description,
		Schema: t.Schema, Hints: hints,
	}
}

// addressOf identifies a server and its credentials: the transport, the URL or the command, the account, and the names of headers and variables.
func addressOf(s chat.MCPServer) string {
	parts := []any{s.Transport, s.URL, s.Command, s.Args}
	if s.Account != "" || len(s.EnvNames)+len(s.HeaderNames) > 0 {
		parts = append(parts, s.Account, s.EnvNames, s.HeaderNames)
	}
	return fmt.Sprintf("%q", parts)
}

// trusted reports whether an administrator trusts the annotations of a server.
func trusted(server mcpstore.Server) bool { return server.Trusted && server.User == 0 }

func classOf(hints chat.MCPHints, trusted bool) chat.ToolClass {
	switch {
	case !trusted:
		return chat.ClassOnce
	case hints.ReadOnly:
		return chat.ClassRead
	case hints.Idempotent:
		return chat.ClassIdempotent
	}
	return chat.ClassOnce
}

func describe(t chat.MCPTool) string {
	switch {
	case t.Description != "":
		return t.Description
	case t.Title != "":
		return t.Title
	}
	return fmt.Sprintf("The tool %s, of which its server says nothing.", t.Name)
}

// Listed is a tool of a server for users.
type Listed struct {
	Name        string         // as models call it
	Description string         // in the words of the server
	Class       chat.ToolClass // decides about a call that a crash interrupts
}

// Listed returns the tools that a server listed last, for its users, sorted as the server names them. One that is switched off, or that
// a user's server replaces, has them under the names that they would have. It returns NotFound if there is no such server for the user.
func (s *Source) Listed(ctx context.Context, person chat.UserID, id int64) ([]Listed, error) {
	rows, err := s.rows.MCPServers(ctx, person)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(r mcpstore.Server) bool { return r.ID == id })
	if i < 0 {
		return nil, fault.Errorf(fault.NotFound, "there is no such MCP server any more")
	}
	asked := rows[i]
	used := slices.DeleteFunc(inForce(rows), func(r mcpstore.Server) bool { return r.Name == asked.Name })
	all, err := s.named(ctx, append(used, asked), person)
	if err != nil {
		return nil, err
	}
	var out []Listed
	for _, t := range all {
		if t.server == id {
			out = append(out, Listed{Name: t.spec.Name, Description: t.spec.Description, Class: t.spec.Class})
		}
	}
	return out, nil
}
