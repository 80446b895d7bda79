// Package policy defines the document that configures how conversations are named, routed, admitted, queued, reset, delivered and
// limited. An installation has one document. Postgres stores every version of it, and each process reads a new version within a second,
// so that limits change while turns run. It is JSON5 with the member names of OpenClaw.
//
// It is pure: what a rule says of a message is decided here, what follows from it by the ingress and the store.
package policy

import (
	"slices"

	"xbot/internal/chat"
)

// Policy is the document. The zero value is the default installation; absent members have the defaults that their
// accessors state.
type Policy struct {
	Session  Session   `json:"session,omitzero"`
	Messages Messages  `json:"messages,omitzero"`
	Agents   Agents    `json:"agents,omitzero"`
	Bindings []Binding `json:"bindings,omitempty"`
	Models   []Model   `json:"models,omitempty"`
	Tiers    Tiers     `json:"tiers,omitzero"`
	// DefaultModel answers where nobody chose: id or alias. Absent: that of the server's settings, else the first one of the installation's subscriptions
	DefaultModel string             `json:"defaultModel,omitempty"`
	Channels     map[string]Channel `json:"channels,omitempty"`
	Limits       Limits             `json:"limits,omitzero"`
	Memory       Memory             `json:"memory,omitzero"`
	Cron         Cron               `json:"cron,omitzero"`
	Permissions  Permissions        `json:"permissions,omitzero"`
	Runners      Runners            `json:"runners,omitzero"`
	// Language is that of xbot's own sentences where nothing that people wrote tells theirs: en (default) or zh
	Language string `json:"language,omitempty"`
	// DisabledSkills are names of skills that nobody has here, wherever they come from
	DisabledSkills []string `json:"disabledSkills,omitempty"`

	// services are the agents that administrators have published. They stand in rows of their own and not in the document.
	services []Agent
}

// Permissions says what tools may do for people who chose nothing for themselves.
type Permissions struct {
	Administrators string `json:"administrators,omitempty"` // read_only | ask | auto (default)
	Others         string `json:"others,omitempty"`         // read_only | ask (default) | auto; in groups, too
	ProjectServers string `json:"projectServers,omitempty"` // who may agree to the hooks, servers and skills of a folder: off | administrators (default) | everybody
}

// Cron says how the times of jobs are read.
type Cron struct {
	Timezone string `json:"timezone,omitempty"` // IANA name, of jobs and people who name none; default: that of the server
}

// Session configures the names of conversations and their retention.
type Session struct {
	Scope          string              `json:"scope,omitempty"`   // per-sender | global
	DMScope        string              `json:"dmScope,omitempty"` // main | per-peer | per-channel-peer (default) | per-account-channel-peer
	MainKey        string              `json:"mainKey,omitempty"` // default main
	IdentityLinks  map[string][]string `json:"identityLinks,omitempty"`
	Reset          *Reset              `json:"reset,omitempty"`
	ResetByType    map[string]Reset    `json:"resetByType,omitempty"` // direct (or dm), group, thread
	ResetByChannel map[string]Reset    `json:"resetByChannel,omitempty"`
	IdleMinutes    int                 `json:"idleMinutes,omitempty"` // alone: idle only (legacy)
	ResetTriggers  []string            `json:"resetTriggers,omitempty"`
	SendPolicy     *SendPolicy         `json:"sendPolicy,omitempty"`
	Store          string              `json:"store,omitempty"` // accepted and without effect: conversations are in Postgres
}

// Reset says when a conversation expires. Both set: what comes first.
type Reset struct {
	Mode        string `json:"mode,omitempty"` // none | daily | idle
	AtHour      *int   `json:"atHour,omitempty"`
	Timezone    string `json:"timezone,omitempty"` // IANA name; default: that of the server
	IdleMinutes int    `json:"idleMinutes,omitempty"`
}

// SendPolicy says which conversations have their answers delivered. The first rule that denies wins.
type SendPolicy struct {
	Rules   []SendRule `json:"rules,omitempty"`
	Default string     `json:"default,omitempty"` // allow (default) | deny
}

// SendRule is one rule.
type SendRule struct {
	Action string    `json:"action"` // allow | deny
	Match  SendMatch `json:"match"`
}

// SendMatch says which conversations a rule is about; empty members match all.
type SendMatch struct {
	Channel   string `json:"channel,omitempty"`
	ChatType  string `json:"chatType,omitempty"` // direct (or dm) | group | channel | thread
	KeyPrefix string `json:"keyPrefix,omitempty"`
}

// Messages says how messages wait, and how long answers do.
type Messages struct {
	Queue    Queue    `json:"queue,omitzero"`
	Delivery Delivery `json:"delivery,omitzero"`
}

// Delivery says what becomes of answers whose platform cannot be reached for a while.
type Delivery struct {
	MaxAgeMinutes    int                 `json:"maxAgeMinutes,omitempty"`    // older ones are not delivered; default 1440, a day
	LateAfterMinutes int                 `json:"lateAfterMinutes,omitempty"` // older ones are late; default 10
	Late             string              `json:"late,omitempty"`             // deliver (default): they say when they were written | drop
	ByChannel        map[string]Lateness `json:"byChannel,omitempty"`
}

// Lateness is Delivery for one channel; absent members are those of all channels.
type Lateness struct {
	MaxAgeMinutes    int    `json:"maxAgeMinutes,omitempty"`
	LateAfterMinutes int    `json:"lateAfterMinutes,omitempty"`
	Late             string `json:"late,omitempty"`
}

// Queue is how messages wait in a conversation that is busy.
type Queue struct {
	Mode       chat.QueueMode            `json:"mode,omitempty"` // default: steer in direct chats, followup elsewhere
	ByChannel  map[string]chat.QueueMode `json:"byChannel,omitempty"`
	DebounceMS int                       `json:"debounceMs,omitempty"` // default 500
	Cap        int                       `json:"cap,omitempty"`        // default 32
	Drop       chat.DropPolicy           `json:"drop,omitempty"`       // default reject
}

// Agents are who answers.
type Agents struct {
	List []Agent `json:"list,omitempty"`
}

// Agent is one of them: a name, a folder, a model, a prompt, tools and a memory of its own.
type Agent struct {
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"`
	Default   bool   `json:"default,omitempty"`
	Workspace string `json:"workspace,omitempty"` // where its conversations start
	Model     string `json:"model,omitempty"`     // id or alias of a model
	Prompt    string `json:"prompt,omitempty"`    // added to the system prompt
	// Personality is the manner in which it answers, in a few words.
	Personality string `json:"personality,omitempty"`
	Tools       Tools  `json:"tools,omitzero"`
	Memory      string `json:"memory,omitempty"` // own (default) | shared: with the default agent
	Think       string `json:"think,omitempty"`
	// Env are variables of its commands, also of its subagents, jobs and coding agents. Secrets do not stand here: xbot env sets them
	Env map[string]string `json:"env,omitempty"`

	Heartbeat Heartbeat `json:"heartbeat,omitzero"`

	MemoryProvider string `json:"memoryProvider,omitempty"` // flat | letta; default: memory.provider

	MemorySwitches MemorySwitches `json:"memorySwitches,omitzero"` // absent ones are those of memory
}

// Tools says which tools an agent has; names may hold *, and deny wins. No allow: all.
type Tools struct {
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// Binding routes conversations to an agent. The most specific match wins: peer, space, account, channel.
type Binding struct {
	Agent string       `json:"agentId"`
	Match BindingMatch `json:"match"`
}

// BindingMatch says which conversations a binding is about.
type BindingMatch struct {
	Channel string       `json:"channel,omitempty"`
	Account string       `json:"accountId,omitempty"` // * is any
	Space   string       `json:"spaceId,omitempty"`   // workspace, guild or team
	Peer    *BindingPeer `json:"peer,omitempty"`
}

// BindingPeer is a person or a place.
type BindingPeer struct {
	Kind string `json:"kind"` // direct (or dm) | group | channel
	ID   string `json:"id"`
}

// Model is one that conversations may choose beside that of the server's settings.
type Model struct {
	ID         string   `json:"id"` // provider/model; provider:model is understood
	Alias      []string `json:"alias,omitempty"`
	Dialect    string   `json:"dialect,omitempty"` // openai | anthropic | demo, or a coding agent: codex | claude | kimi | opencode; default: what the id says, else openai
	BaseURL    string   `json:"baseUrl,omitempty"`
	APIKeyEnv  string   `json:"apiKeyEnv,omitempty"` // variable of the worker that holds the key; never the key itself. Default LLM_API_KEY where baseUrl is empty
	MaxContext int      `json:"maxContext,omitempty"`
	MaxOutput  int      `json:"maxOutput,omitempty"`
	Vision     *bool    `json:"vision,omitempty"` // whether it reads pictures; absent: what its name tells

	Agent *CodingAgent `json:"agent,omitempty"` // of a coding agent: how it is asked
}

// CodingAgent says how a coding agent is asked that answers in place of a model.
type CodingAgent struct {
	Command      string   `json:"command,omitempty"`   // path of its program on the runner; default: its name, found by the PATH of the runner
	Profile      string   `json:"profile,omitempty"`   // its own profile or variant
	Effort       string   `json:"effort,omitempty"`    // how much it thinks, in its own words; default: what /think says
	Sandbox      string   `json:"sandbox,omitempty"`   // read-only | workspace-write (default) | danger-full-access
	Approvals    string   `json:"approvals,omitempty"` // never | on-request (default) | untrusted: when it asks a person
	AddDirs      []string `json:"addDirs,omitempty"`   // more folders of the runner that it may write, absolute
	Personality  string   `json:"personality,omitempty"`
	PromptPrefix string   `json:"promptPrefix,omitempty"` // stands before what the person says
}

// codingAgents are the dialects of models that are coding agents.
var codingAgents = []string{"codex", "claude", "kimi", "opencode"}

// IsAgent reports whether the model is a coding agent.
func (m Model) IsAgent() bool { return slices.Contains(codingAgents, m.Dialect) }

// Tiers says which models are meant where work is handed to one of a tier: ids or aliases. Absent: the model of whoever hands it on.
type Tiers struct {
	Vanguard string `json:"vanguard,omitempty"` // the strongest
	Balance  string `json:"balance,omitempty"`
	Swift    string `json:"swift,omitempty"` // the fastest
}

// Channel says who is let in on a channel and how conversations go on there. Accounts override it for one bot.
type Channel struct {
	DMPolicy        string             `json:"dmPolicy,omitempty"`    // pairing (default) | allowlist | open | disabled
	AllowFrom       []string           `json:"allowFrom,omitzero"`    // ids, exact; * with open
	GroupPolicy     string             `json:"groupPolicy,omitempty"` // allowlist (default) | open | disabled
	GroupAllowFrom  []string           `json:"groupAllowFrom,omitzero"`
	Groups          map[string]Group   `json:"groups,omitzero"`          // id or *; with allowlist, those that stand here
	MentionPatterns []string           `json:"mentionPatterns,omitzero"` // RE2, case-insensitive
	HistoryLimit    *int               `json:"historyLimit,omitempty"`   // messages kept as context; default 50, 0: none
	TriggerMode     string             `json:"triggerMode,omitempty"`    // at (default) | prefix | without_prefix | all
	TriggerPrefix   string             `json:"triggerPrefix,omitempty"`
	GroupScenes     Scenes             `json:"groupScenes,omitzero"`
	PrivateScenes   Scenes             `json:"privateScenes,omitzero"`
	Feedback        string             `json:"immediateFeedbackMode,omitempty"`     // reaction (default) | reply | none
	FeedbackEmoji   string             `json:"immediateFeedbackReaction,omitempty"` // as the platform names it; default: its own sign
	Progress        string             `json:"progress,omitempty"`                  // card (default) | none: what is shown while a turn goes on
	Soul            string             `json:"soul,omitempty"`                      // path of a SOUL.md in XBOT_HOME, or its text
	Accounts        map[string]Channel `json:"accounts,omitempty"`
}

// Group is a group that is listened to.
type Group struct {
	RequireMention *bool    `json:"requireMention,omitempty"` // default true
	AllowFrom      []string `json:"allowFrom,omitzero"`       // who may speak to the bot there; empty: as groupAllowFrom
	Stop           string   `json:"stop,omitempty"`           // who may stop a turn: askers (default) | administrators | everybody
	Reset          string   `json:"reset,omitempty"`          // who may begin the conversation anew: administrators (default) | everybody
}

// Scenes are the two ways in which a place is used.
type Scenes struct {
	Chat Scene `json:"chat,omitzero"`
	Work Scene `json:"work,omitzero"`
}

// Scene is one of them.
type Scene struct {
	Enabled              bool          `json:"enabled,omitempty"`
	TriggerTag           string        `json:"triggerTag,omitempty"` // work; default #work
	Model                string        `json:"model,omitempty"`
	Think                string        `json:"think,omitempty"`
	NoReplyToken         string        `json:"noReplyToken,omitempty"` // an answer of this alone is silence
	CreateThread         bool          `json:"createThread,omitempty"`
	Prompt               string        `json:"prompt,omitempty"`               // added to the system prompt, behind that of the agent
	Personality          string        `json:"personality,omitempty"`          // instead of that of the agent
	Permissions          string        `json:"permissions,omitempty"`          // read_only | ask | auto: what tools may do there, which nobody widens
	Tools                Tools         `json:"tools,omitzero"`                 // narrows those of the agent, also for subagents
	Sandbox              SandboxPolicy `json:"sandbox,omitzero"`               // what commands may do there, below what their runner lets them do
	Runner               string        `json:"runner,omitempty"`               // commands run on the runner of this name alone: one that whom the conversation belongs to may use
	DisableIdentityHints *bool         `json:"disableIdentityHints,omitempty"` // who speaks is not told; default: in work scenes
}

// SandboxPolicy narrow what commands may do.
type SandboxPolicy struct {
	Files   string `json:"files,omitempty"`   // workspace (default): as their runner lets them | read_only: they change no file
	Network string `json:"network,omitempty"` // on (default): as their runner lets them | off: they open no sockets
}

// Limits bound what runs at once. 0 is the default.
type Limits struct {
	Turns       int `json:"turns,omitempty"`       // at once in the installation; default 64
	UserTurns   int `json:"userTurns,omitempty"`   // of one user or group; default: no limit of its own
	OwnKeyTurns int `json:"ownKeyTurns,omitempty"` // of a user who is answered by a model of their own; default 1
	LLM         LLM `json:"llm,omitzero"`
	// ProviderWaitMinutes is how long a turn that nobody watches, or that has done work, waits for a model provider that
	// cannot be reached; default a day.
	ProviderWaitMinutes int `json:"providerWaitMinutes,omitempty"`

	Subagents Subagents    `json:"subagents,omitzero"`
	Person    PersonLimits `json:"person,omitzero"`
	Media     MediaLimits  `json:"media,omitzero"`
}

// MediaLimits bounds what the tools that generate media may make for one user or group in a day of UTC; for consumers it bounds each key of a
// service. What users pay for with keys of their own counts, too.
type MediaLimits struct {
	Pictures   int `json:"pictures,omitempty"`   // default 100
	Characters int `json:"characters,omitempty"` // of speech; default 100000
	Seconds    int `json:"seconds,omitempty"`    // of video; default 120
	AtOnce     int `json:"atOnce,omitempty"`     // generations that run at the same time; default 3
}

// PersonLimits bounds what one person may have. Conversations that messages on platforms begin are never refused, and those that agents,
// schedules and triggers begin are not counted either.
type PersonLimits struct {
	Sessions int `json:"sessions,omitempty"` // conversations that they begin; default 10000
	Runners  int `json:"runners,omitempty"`  // default 50
	Tokens   int `json:"tokens,omitempty"`   // for programs; default 100
	Storage  int `json:"storage,omitempty"`  // megabytes of files of their messages, and of pictures; default 10240
	Voice    int `json:"voice,omitempty"`    // minutes of voice mode in 24 hours; default 120
}

// Subagents bounds what one turn of a conversation may set going, with all that follows from it.
type Subagents struct {
	Depth   int `json:"depth,omitempty"`   // how often work may be handed on; default 6
	PerTurn int `json:"perTurn,omitempty"` // tasks that one turn may hand out; default 20
	Running int `json:"running,omitempty"` // subagents of one conversation that work at once; default 16
	Tokens  int `json:"tokens,omitempty"`  // that all of them may take together, read and written; default 5000000
}

// LLM bounds the calls of one tenant that run at once.
type LLM struct {
	Global   int `json:"global,omitempty"`   // to the installation's models; default 5
	Personal int `json:"personal,omitempty"` // to a model of the user's own; default 3
	Subagent int `json:"subagent,omitempty"` // of subagents; default 3
}
