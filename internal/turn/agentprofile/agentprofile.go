// Package agentprofile resolves the agent of a conversation: which of the installation's agents answers, with which tools, memory and soul,
// and whether its answers reach the channel. It reads the current policy.
package agentprofile

import (
	"cmp"
	"context"
	"log/slog"
	"path"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm/choice"
	"xbot/internal/memory"
	"xbot/internal/service"
	"xbot/internal/tool"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
	"xbot/internal/user/persona"
)

// Profile is the agent of a conversation and its permissions.
type Profile struct {
	Agent    policy.Agent
	Scene    policy.Scene // of the conversation, for a subagent that of the top one; its tools narrow those of the agent
	Contract persona.Contract
	// Soul is the body of the channel's SOUL.md; empty in work scenes, which have none.
	Soul    string
	Silence Silence
	// Deliver reports whether answers reach the channel.
	Deliver bool
	// Provider names the provider of the agent's memory.
	Provider string
	// Remember is the agent's use of memory.
	Remember policy.Remembers
	// Alone marks the separate conversation of a job or a trigger.
	Alone bool
	// Role is the role of a subagent, which answers another agent; nil: the agent answers users.
	Role *chat.Profile
	// Plan is whether the running turn has to propose a plan before it acts.
	Plan chat.PlanState
	// Trusted reports that only an administrator writes here.
	Trusted bool
	// Direct reports that only one user writes here.
	Direct bool
	External
	// Job is the narrowed permissions of the job that the conversation, or one above it, belongs to; nil: none.
	Job *chat.JobPermits
}

// External is the external parties of a conversation.
type External struct {
	// Outside: a consumer writes here, to a service.
	Outside bool
	// Sealed: the agent of a service runs here without answering a consumer, and reads messages of consumers. It has no tools, no file system
	// and no memory.
	Sealed bool
	// Private: only an administrator writes in the top conversation. Their subagents may read messages of consumers, if the policy allows it.
	Private bool
	// OfGroup: the conversation belongs to a group of a platform, in which any member may write. A group has no accounts and no triggers.
	OfGroup bool
}

// Silence is how the model gives no answer.
type Silence struct {
	Token     string // an answer that consists of it is not shown; empty if every answer is shown
	Overhears bool   // the model also reads messages that may not be for it
}

// trustedTools work only in conversations of an administrator alone, by their names without underscores: those that show administrators'
// data, and those that act on services. They are offered nowhere else.
var trustedTools = []string{"logs", "publishservicetask"}

// personTools act on data of a user, by their names without underscores. Conversations of groups do not offer them.
var personTools = []string{"eventtrigger", "oauthauthorize"}

// Has reports whether the agent may use a tool. Names may hold *; deny wins, and no allow list allows all. The tools of a memory are only
// those of its provider; those for one user or for administrators need a conversation without other people.
func (p Profile) Has(tool string) bool { return !p.Sealed && p.jobHas(tool) && p.agentHas(tool) }

// HasTool is Has for a tool that may be one of an MCP server: denying any name of the server's tool denies it under all names.
func (p Profile) HasTool(s tool.Spec) bool {
	return p.Has(s.Name) && !slices.ContainsFunc(s.Names(), func(name string) bool {
		return matches(p.Agent.Tools.Deny, name) || matches(p.Scene.Tools.Deny, name)
	})
}

// elsewhere lists the tools by which a job would begin work that is not as narrow as itself.
var elsewhere = []string{"Cron", "*Trigger*", "publish_service_task", "config", "ManageTools"}

// jobHas reports whether the job of the conversation permits a tool.
func (p Profile) jobHas(tool string) bool {
	return p.Job == nil || !matches(elsewhere, tool) && (len(p.Job.Tools) == 0 || matches(p.Job.Tools, tool))
}

func (p Profile) agentHas(tool string) bool {
	if p.Outside { // by its very name: no pattern and no other spelling opens what a service was not published with
		return slices.Contains(p.Agent.Tools.Allow, tool) && !matches(p.Agent.Tools.Deny, tool) && has(p.Scene.Tools, tool) && (p.Role == nil || roleHas(*p.Role, tool))
	}
	folded := strings.ToLower(strings.ReplaceAll(tool, "_", ""))
	if !p.Trusted && slices.Contains(trustedTools, folded) || !p.Direct && folded == chat.ConfigTool || p.OfGroup && slices.Contains(personTools, folded) {
		return false
	}
	if strings.EqualFold(tool, chat.PlanTool) { // without a plan wanted it costs tokens; with one, an agent of few tools needs it, too
		return p.Plan != "" && p.Role == nil && !matches(p.Agent.Tools.Deny, tool) && !matches(p.Scene.Tools.Deny, tool)
	}
	if has, ok := p.mayReach(tool); ok && !has {
		return false
	}
	if provider, ok := memory.ProviderOf(tool); ok && p.Provider != "" && provider != p.Provider {
		return false
	}
	return has(p.Agent.Tools, tool) && has(p.Scene.Tools, tool) && (p.Role == nil || roleHas(*p.Role, tool))
}

func has(t policy.Tools, tool string) bool {
	return !matches(t.Deny, tool) && (len(t.Allow) == 0 || matches(t.Allow, tool))
}

// Names reports whether the agent or its role lists a tool by its exact name. It is always shown then.
func (p Profile) Names(tool string) bool {
	is := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), tool) }
	return slices.ContainsFunc(p.Agent.Tools.Allow, is) || slices.ContainsFunc(p.Scene.Tools.Allow, is) || p.Role != nil && slices.ContainsFunc(p.Role.Tools, is)
}

func matches(patterns []string, tool string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(strings.ToLower(strings.TrimSpace(pattern)), strings.ToLower(tool))
		return ok && err == nil
	})
}

// sharedMemory is the memory that agents share.
const sharedMemory = policy.DefaultAgent

// Memory returns the name of the memory that the agent reads and writes.
func (p Profile) Memory() string {
	if p.Agent.Default || p.Agent.Memory == policy.MemoryShared || p.Agent.ID == "" {
		return sharedMemory
	}
	return p.Agent.ID
}

// Agents reads the roles of subagents.
type Agents interface {
	// SubagentProfile returns the role of a subagent; nil if the session is not a subagent's.
	SubagentProfile(ctx context.Context, key chat.SessionKey) (*chat.Profile, error)
}

// Memory searches past conversations.
type Memory interface {
	SearchPast(ctx context.Context, w chat.MemoryOwner, here chat.SessionKey, q chat.PastQuery) ([]chat.PastEntry, error)
}

// Search searches messages.
type Search interface {
	Conversation(ctx context.Context, owner chat.UserID, with chat.Agents, key chat.SessionKey, before chat.MessageID, n int) ([]chat.PastEntry, error)
	Conversations(ctx context.Context, owner chat.UserID, with chat.Agents, n int) ([]chat.Conversation, error)
}

// Settings reads the settings of a conversation.
type Settings interface {
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
}

// Policies returns the policy in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
	// With is Get with services that are at least as new as the version.
	With(ctx context.Context, services int64) (*policy.Policy, error)
}

// Resolver finds the agent profile of a conversation. It is safe for concurrent use.
type Resolver struct {
	Subagents Agents
	Settings  Settings
	Policies  Policies
	Home      string // data folder of the server, where souls are
	Memory    string // provider of memory if the policy names none; empty: flat
	Log       *slog.Logger
}

// Confinement returns the confinement of the commands of a conversation: that of its scene, or of the scene of the top conversation. None:
// only the runner's own applies. only is the runner on which they run, whichever is requested; empty: the scene names none.
func (b *Resolver) Confinement(ctx context.Context, key chat.SessionKey) (walls chat.Confinement, only string, err error) {
	p, err := b.Policies.Get(ctx)
	if err != nil {
		return chat.Confinement{}, "", err
	}
	w, err := choice.Wanted(ctx, b.Settings, key)
	if err != nil {
		return chat.Confinement{}, "", err
	}
	scene := p.SceneAt(w.Above)
	return scene.Sandbox.Narrow(), scene.Runner, nil
}

// Of returns the agent profile of a conversation. A soul that cannot be read is logged and treated as none: errors are those of the database.
func (b *Resolver) Of(ctx context.Context, key chat.SessionKey) (Profile, error) {
	w, err := choice.Wanted(ctx, b.Settings, key)
	if err != nil {
		return Profile{}, err
	}
	p, err := b.Policies.With(ctx, w.Services)
	if err != nil {
		return Profile{}, err
	}
	agent := p.Agent(w.Agent)
	out := Profile{
		Agent: agent, Scene: p.SceneAt(w.Above), Deliver: p.Sends(key, w.Channel, w.ChatType, w.Send), Trusted: w.Admin && w.ChatType == chat.ChatDirect, Direct: w.ChatType == chat.ChatDirect,
		Provider: cmp.Or(agent.MemoryProvider, p.Memory.Provider, b.Memory, memory.Flat),
		Remember: p.Remembers(agent).Narrowed(w.MemoryChoices), Alone: w.ChatType == chat.ChatCron || w.ChatType == chat.ChatHook,
		Plan: w.Plan, Job: w.Above.Job, External: External{Private: w.Admin && w.Root == chat.ChatDirect, OfGroup: w.OfGroup},
	}
	if w.ChatType != chat.ChatSubagent && service.Sealed(w.Agent, key) {
		out.Sealed, out.Plan, out.Remember, out.Trusted, out.Private = true, "", policy.Remembers{}, false, false
		return out, nil // its inbox instructions define the silent answer
	}
	if strings.HasPrefix(agent.ID, policy.ServicePrefix) {
		return b.outside(ctx, key, w, out)
	}
	if w.ChatType == chat.ChatSubagent {
		out.Deliver, out.Silence.Token = false, persona.NoReply
		if out.Role, err = b.Subagents.SubagentProfile(ctx, key); out.Role != nil && out.Role.Depth >= p.Limit().Subagents.Depth {
			out.Role.SpawnAgent = false
		}
		return out, err
	}
	s, notes, err := persona.Load(b.Home, p.Channel(w.Channel, w.Account).Soul)
	if err != nil {
		notes = append(notes, err.Error())
	}
	if len(notes) > 0 {
		b.Log.Warn("a soul is not quite understood", "channel", w.Channel, "account", w.Account, "notes", strings.Join(notes, "; "))
	}
	out.Contract = s.Contract
	if w.Scene != chat.SceneWork {
		out.Soul = s.Body
	}
	if token := strings.TrimSpace(choice.Scene(p, w).NoReplyToken); token != "" && len(out.Contract.Tokens) == 0 {
		out.Contract.Tokens = []string{token}
	}
	out.Silence = Silence{persona.NoReply, hearsAll(p, w)}
	if len(out.Contract.Tokens) > 0 {
		out.Silence.Token = out.Contract.Tokens[0]
	}
	if w.ChatType == chat.ChatCron { // a heartbeat that found nothing
		out.Contract.Tokens = append(slices.Clone(out.Contract.Tokens), persona.HeartbeatOK)
	}
	return out, nil
}

// outside returns the profile of a service's agent: no soul, no plans, nothing for administrators or for one user, and no memory.
func (b *Resolver) outside(ctx context.Context, key chat.SessionKey, w chat.ModelCriteria, out Profile) (_ Profile, err error) {
	out.Trusted, out.Direct, out.Plan, out.Remember = false, false, "", policy.Remembers{}
	out.External, out.Contract.Literal = External{Outside: true}, true
	if w.ChatType == chat.ChatSubagent {
		out.Deliver = false
		out.Role, err = b.Subagents.SubagentProfile(ctx, key)
	}
	return out, err
}

// hearsAll reports whether a conversation holds messages that are not for the agent: a chat scene, or a group whose every message it
// receives.
func hearsAll(p *policy.Policy, w chat.ModelCriteria) bool {
	switch w.ChatType {
	case chat.ChatGroup, chat.ChatChannel, chat.ChatThread:
		return session.HearsAll(p.Channel(w.Channel, w.Account), w.Chat, w.Scene, w.Activation)
	case chat.ChatDirect, "":
		return w.Scene == chat.SceneChat
	}
	return false
}
