// Package subagents chooses the role, model and profile of subagents, and the name of their worktree.
package subagents

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/tool"
	"xbot/internal/tool/agent"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
)

// Agents returns the profiles of subagents.
type Agents interface {
	SubagentProfile(ctx context.Context, key chat.SessionKey) (*chat.Profile, error)
}

// Conversations returns conversations.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Settings returns the model settings of conversations and users.
type Settings interface {
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
	TierModels(ctx context.Context, user chat.UserID) (map[string]string, error)
}

// Roles returns the roles of conversations, and the properties of their subagents.
type Roles struct {
	Agents        Agents
	Conversations Conversations
	Settings      Settings
	Files         prompt.Roles // finds the files of roles
	Policies      *policy.Live
	Models        *catalogue.Live
}

var _ agent.Roles = Roles{}

// Roles returns the roles that a call can name.
func (s Roles) Roles(ctx context.Context, call tool.Call) ([]role.Role, []role.Broken, error) {
	found, err := s.find(ctx, call.Session)
	return found.Roles, found.Broken, err
}

func (s Roles) find(ctx context.Context, key chat.SessionKey) (prompt.Found, error) {
	session, owner, err := s.Conversations.Session(ctx, key)
	if err != nil {
		return prompt.Found{}, err
	}
	scene := chat.Scene{Session: key, User: owner, Runner: session.Runner, Cwd: session.Cwd, CwdRunner: session.CwdRunner}
	return s.Files.Find(ctx, scene)
}

// RolesOf returns the roles that a conversation can hand work to.
func (s Roles) RolesOf(ctx context.Context, key chat.SessionKey) ([]role.Role, []role.Broken, error) {
	found, err := s.find(ctx, key)
	return found.Roles, found.Broken, err
}

// Make returns the properties of a new subagent of a role. Its model is that of the given tier, else of the role, else of the role's
// tier; if there is none, or it is unknown, the model of the calling conversation.
func (s Roles) Make(ctx context.Context, call tool.Call, r role.Role, tier string) (chat.NewSubagent, error) {
	out := chat.NewSubagent{Profile: chat.Profile{
		Prompt: r.Prompt, Tools: r.Tools, Memory: r.Memory, SendMessage: r.SendMessage, SpawnAgent: r.SpawnAgent, Conversations: r.Conversations,
	}}
	above, err := s.Agents.SubagentProfile(ctx, call.Session)
	if err != nil {
		return out, err
	}
	if above != nil {
		out.Profile = out.Profile.Under(*above)
	}
	rules, err := s.Policies.Get(ctx)
	if err != nil {
		return out, err
	}
	wish, err := s.Settings.ModelWanted(ctx, call.Session)
	if err != nil {
		return out, err
	}
	known, err := s.Models.At(ctx, wish.User, wish.Subscriptions)
	if err != nil {
		return out, err
	}
	wanted := r.Model
	if tier == "" && wanted == "" {
		tier = r.Tier
	}
	if tier != "" {
		if wanted, err = choice.Tier(ctx, s.Settings, wish.User, rules, tier); err != nil {
			return out, err
		}
	}
	d := choice.Decide(rules, wish)
	out.Model, out.Think = d.Model, d.Think
	if _, ok := known.Find(wanted); ok {
		out.Model = wanted
	}
	return out, nil
}
