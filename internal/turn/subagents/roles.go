// Package subagents decides what subagents are made of: role, model, profile, and the name of their worktree.
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

// Agents stores subagents and group chats.
type Agents interface {
	SubagentProfile(ctx context.Context, key chat.SessionKey) (*chat.Profile, error)
}

// Conversations stores conversations.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Settings stores settings.
type Settings interface {
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
	TierModels(ctx context.Context, user chat.UserID) (map[string]string, error)
}

// Roles knows the roles of conversations, and what subagents of them are made of.
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

// RolesOf returns who work can be handed to in a conversation.
func (s Roles) RolesOf(ctx context.Context, key chat.SessionKey) ([]role.Role, []role.Broken, error) {
	found, err := s.find(ctx, key)
	return found.Roles, found.Broken, err
}

// Make returns what a subagent of a role is made of. Its model is the one that the role names, else the one that the tier stands
// for, else that of whoever hands it the work; one that nobody knows is none.
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
