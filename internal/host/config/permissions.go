package config

import (
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Permissions configures what tools may do before a user was asked, and where they may fetch from.
type Permissions struct {
	Rules     []string      `env:"XBOT_TOOL_RULES" help:"what everybody's tools may do unless they set it themselves: Name=allow|ask|deny, comma separated; others are allowed"`
	HTTPAllow []string      `env:"XBOT_HTTP_ALLOW" help:"networks, addresses and host names that tools may fetch from beside the public internet, comma separated"`
	HostHooks string        `env:"XBOT_HOST_HOOKS" envDefault:"off" help:"off | on: whether commands of $XBOT_HOME/hooks.json may run on the server's host, outside of any sandbox"`
	HooksKeep time.Duration `env:"XBOT_HOOKS_KEEP" envDefault:"2160h" help:"how long what hooks said is kept once its turn has ended; 0: as long as the conversation"`
	MCPIdle   time.Duration `env:"XBOT_MCP_IDLE" envDefault:"30m" help:"how long nobody may use a connection to an MCP server before it is closed"`
	Wait      time.Duration `env:"XBOT_APPROVAL_WAIT" envDefault:"168h" help:"how long a turn waits for permission; then the call is denied"`
}

// ByTool reads the rules, by the name of the tool as it was written.
func (p Permissions) ByTool() (map[string]chat.Rule, error) {
	out := make(map[string]chat.Rule, len(p.Rules))
	for _, entry := range p.Rules {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		name, word, _ := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		rule, ok := chat.ParseRule(strings.TrimSpace(word))
		if name == "" || !ok {
			return nil, fault.Errorf(fault.Invalid, "XBOT_TOOL_RULES holds %q; it must be Name=allow, Name=ask or Name=deny, for example Shell=ask,FileCreate=ask", entry)
		}
		if _, twice := out[name]; twice {
			return nil, fault.Errorf(fault.Invalid, "XBOT_TOOL_RULES names %s twice", name)
		}
		out[name] = rule
	}
	return out, nil
}
