package permission

import (
	"slices"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// sampling is the name of the requests of an MCP server to the model in rules, in place of the name of a tool.
const sampling = "sampling"

// Sampling returns the name in rules of the requests of an MCP server to the model: mcp_SERVER_sampling, as if it were a tool of the server.
// of is any of its tools. The pin of a rule that allows them covers the address of the server.
func Sampling(of *tool.Remote) *tool.Remote {
	return &tool.Remote{Server: of.Server, Tool: sampling, Hashed: samplingName(of.Server), Address: of.Address, Description: "sampling/createMessage"}
}

func samplingName(server string) string { return "mcp_" + server + "_" + sampling }

// SamplingRule returns a rule for requests to the model, mcp_SERVER_sampling, as it is stored for a user who has these tools. false: the name
// is not that of such a rule for a server that has one of the tools.
func SamplingRule(tools []tool.Spec, name string, rule chat.Rule) (chat.ToolRule, bool) {
	i := slices.IndexFunc(tools, func(s tool.Spec) bool { return s.Remote != nil && samplingName(s.Remote.Server) == name })
	if i < 0 {
		return chat.ToolRule{}, false
	}
	out := chat.ToolRule{Tool: name, Rule: rule}
	if rule == chat.RuleAllow {
		out.Pin = Sampling(tools[i].Remote).Pin()
	}
	return out, true
}

// Sampling decides about requests of an MCP server to the model. A rule denies them as it denies a tool, patterns included. Only a rule with
// their exact name allows them: presets and patterns apply to tools, and requests cost the user money. Consumers of services are refused.
func (a Authorizer) Sampling(of *tool.Remote) Decision {
	if a.permits.Outside {
		return Decision{Rule: chat.RuleDeny}
	}
	about := Sampling(of)
	c := Call{Tool: about.Hashed, Plans: true, Remote: about}
	d := decide(a.permits, a.defaults, c)
	if d.Rule == chat.RuleDeny || d.Rule == chat.RuleAllow && a.allowsByName(c) {
		return Decision{Rule: d.Rule}
	}
	return Decision{Rule: chat.RuleAsk, Always: []chat.ToolRule{{Tool: c.Tool, Rule: chat.RuleAllow, Pin: about.Pin()}}}
}

// allowsByName reports whether a rule with the exact name allows a call: one of the installation, or one of the user that was set for the
// server in its current version.
func (a Authorizer) allowsByName(c Call) bool {
	return a.defaults.Rules[c.Tool] == chat.RuleAllow || slices.ContainsFunc(a.permits.Rules, func(r chat.ToolRule) bool {
		return r.Tool == c.Tool && r.Pattern == "" && r.Rule == chat.RuleAllow && r.Pin == c.Remote.Pin()
	})
}
