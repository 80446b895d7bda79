package policy

import (
	"net/url"
	"slices"
	"strings"
)

// thinks are the levels of thought.
var thinks = []string{"off", "minimal", "low", "medium", "high", "xhigh"}

// memoryProviders keep memory.
var memoryProviders = []string{"flat", "letta"}

func (c *check) agents(p *Policy) {
	var ids []string
	marked := ""
	for i, a := range p.Agents.List {
		path := sprintf("agents.list[%d]", i)
		switch {
		case !name.MatchString(a.ID):
			c.fault(path+".id", "an agent needs an id of letters, digits, dots, dashes and underscores, at most 64")
		case strings.HasPrefix(a.ID, ServicePrefix):
			c.fault(path+".id", "ids that begin with %s are those of services, which are made on the page or by xbot service", ServicePrefix)
		case slices.Contains(ids, a.ID):
			c.fault(path+".id", "there are two agents %q", a.ID)
		case a.Default && marked != "":
			c.fault(path+".default", "%s is the default already", marked)
		}
		if a.Default {
			marked = a.ID
		}
		ids = append(ids, a.ID)
		c.oneOf(path+".memory", a.Memory, "own", MemoryShared)
		c.oneOf(path+".memoryProvider", a.MemoryProvider, memoryProviders...)
		c.switches(path+".memorySwitches", a.MemorySwitches, p.Memory.MemorySwitches)
		c.oneOf(path+".think", a.Think, thinks...)
		c.tools(path+".tools", a.Tools)
		c.personality(path+".personality", a.Personality)
		c.heartbeat(path+".heartbeat", a.Heartbeat)
		c.env(path+".env", a.Env)
	}
	if len(ids) == 0 {
		ids = []string{DefaultAgent}
	}
	for i, b := range p.Bindings {
		c.binding(sprintf("bindings[%d]", i), b, ids)
	}
}

func (c *check) binding(path string, b Binding, agents []string) {
	switch {
	case b.Agent == "":
		c.fault(path+".agentId", "name the agent")
	default:
		c.oneOf(path+".agentId", b.Agent, agents...)
	}
	if b.Match == (BindingMatch{}) {
		c.note(path+".match", "is empty: it meets every message that no other binding meets")
	}
	if peer := b.Match.Peer; peer != nil {
		if peer.Kind == "" {
			c.fault(path+".match.peer.kind", "write direct, group or channel")
		}
		c.oneOf(path+".match.peer.kind", peer.Kind, "direct", "dm", "group", "channel")
		if peer.ID == "" {
			c.fault(path+".match.peer.id", "name the person, group or channel by its id on the platform")
		}
	}
}

func (c *check) models(models []Model) {
	owner := map[string]string{}
	for i, m := range models {
		path := sprintf("models[%d]", i)
		if m.ID == "" || strings.TrimSpace(m.ID) != m.ID {
			c.fault(path+".id", "write provider/model")
		}
		for _, word := range append([]string{m.ID}, m.Alias...) {
			if folded := strings.ToLower(word); owner[folded] != "" {
				c.fault(path, "%q names %s already", word, owner[folded])
			} else {
				owner[folded] = m.ID
			}
		}
		for j, alias := range m.Alias {
			if alias == "" || strings.ContainsAny(alias, " \t\n") {
				c.fault(sprintf("%s.alias[%d]", path, j), "an alias is one word")
			}
		}
		c.oneOf(path+".dialect", m.Dialect, append([]string{"openai", "anthropic", "demo"}, codingAgents...)...)
		c.codingAgent(path, m)
		if u, err := url.Parse(m.BaseURL); m.BaseURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			c.fault(path+".baseUrl", "it is an address such as https://api.example.org/v1")
		}
		if m.APIKeyEnv != "" && !isVariable(m.APIKeyEnv) {
			c.fault(path+".apiKeyEnv", "this is no name of a variable; write one such as MY_LLM_KEY, and put the key into that variable of the worker. A key that was written here should be changed")
		}
		c.within(path+".maxContext", m.MaxContext, 1000, 100_000_000)
		c.within(path+".maxOutput", m.MaxOutput, 1, 10_000_000)
	}
}

// maxPrefix bounds texts that stand before what people say, in bytes.
const maxPrefix = 10_000

func (c *check) codingAgent(path string, m Model) {
	switch {
	case m.Agent == nil && !m.IsAgent():
		return
	case !m.IsAgent():
		c.fault(path+".agent", "it is for the dialects %s", strings.Join(codingAgents, ", "))
		return
	case m.BaseURL != "" || m.APIKeyEnv != "":
		c.fault(path, "a coding agent has an account of its own on the runner: leave baseUrl and apiKeyEnv out")
	}
	if m.Agent == nil {
		return
	}
	a, path := m.Agent, path+".agent"
	c.oneOf(path+".sandbox", a.Sandbox, "read-only", "workspace-write", "danger-full-access")
	c.oneOf(path+".approvals", a.Approvals, "never", "on-request", "untrusted")
	for i, dir := range a.AddDirs {
		if !strings.HasPrefix(dir, "/") {
			c.fault(sprintf("%s.addDirs[%d]", path, i), "write the whole path, from /")
		}
	}
	if strings.ContainsAny(a.Command, "\x00\n") || len(a.Command) > maxPrefix {
		c.fault(path+".command", "it is the path of one program, without arguments")
	}
	if len(a.Personality) > maxPrefix || len(a.PromptPrefix) > maxPrefix {
		c.fault(path, "personality and promptPrefix have at most %d bytes each", maxPrefix)
	}
}
