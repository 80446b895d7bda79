package chat

import (
	"encoding/json"
	"time"
)

// The think levels: how much a model thinks before it answers, from nothing to as much as it can.
const (
	ThinkOff     = "off"
	ThinkMinimal = "minimal"
	ThinkLow     = "low"
	ThinkMedium  = "medium"
	ThinkHigh    = "high"
	ThinkXHigh   = "xhigh"
)

// ThinkLevels are all think levels, ascending.
var ThinkLevels = []string{ThinkOff, ThinkMinimal, ThinkLow, ThinkMedium, ThinkHigh, ThinkXHigh}

// The verbosities: how much of the work a channel shows.
const (
	VerboseOff  = "off"
	VerboseOn   = "on"
	VerboseFull = "full"
)

// Verbosities are all verbosities, ascending.
var Verbosities = []string{VerboseOff, VerboseOn, VerboseFull}

// ModelCriteria is what decides which model answers in a session, and how much it thinks.
type ModelCriteria struct {
	User   UserID
	Admin  bool   // they are an administrator
	Runner string // that the session names
	PersonModels

	Agent    string
	Channel  string
	Account  string
	Chat     string // the platform's id of where it takes place
	ChatType ChatType
	// Activation is what /activation set for the group; empty: as the policy says.
	Activation string
	Scene      string
	Model      string // chosen for the session
	Think      string // chosen for the session
	Send       string // on, off; empty: as the policy says
	OfTurn
}

// Location is where a conversation takes place, as the policy tells one place from another.
type Location struct {
	Channel  string   `json:"channel"`
	Account  string   `json:"account"`
	ChatType ChatType `json:"chat_type"`
	Scene    string   `json:"scene"`
	// Job is what the job narrows whose own conversation it is; nil: nothing.
	Job *JobPermits `json:"job,omitempty"`
}

// Confinement narrow what the commands of a conversation may do, below what their runner lets commands do. The zero value narrows nothing.
type Confinement struct {
	ReadOnly bool // they change no file, nor do the tools that write files
	Offline  bool // they open no sockets: neither to the network nor to other programs of the machine
	Confined bool // they do not start where their runner does not confine commands
	// Keep, with ReadOnly, is a folder that stays writable where the runner lets commands write it; "~/" begins the home folder.
	Keep string
}

// OfTurn is what the running turn of a conversation wants, and where it stands.
type OfTurn struct {
	Options Options   // of the message that it answers
	Plan    PlanState // whether it has to propose a plan
	Above   Location  // where the conversation above all takes place; one that is below none is above itself
	Root    ChatType  // of the conversation above all: for jobs and triggers, unlike Above, their own
}

// PersonModels is what a person has to say about models, and about what is remembered, wherever they talk.
type PersonModels struct {
	Own           bool   // a model of a runner may answer: one that they can use offers one, and they did not ask for the server's
	Usual         string // the model that they chose for all their conversations; empty: none
	UsualThink    string // how much models think in them; empty: they did not say
	Subscriptions int64  // the version of the subscriptions of this moment
	Services      int64  // that of the services, where a service answers; elsewhere 0
	ToolSources   int64  // that of what brings tools

	MemoryChoices
	// OfGroup says that the conversation belongs to a group of a platform, which has no accounts and no triggers.
	OfGroup bool
}

// MemoryChoices are what a person does not want of what is remembered of them.
type MemoryChoices struct {
	NoMemory    bool // they do not want their conversations to be put into memory, or read by others of their agents
	NoSoul      bool // they do not want their agents to keep soul files
	NotesLocked bool // their agents read what they remember, and write nothing
}

// The scenes: the two ways in which a place is used.
const (
	SceneChat = "chat"
	SceneWork = "work"
)

// The providers of models, by how they are spoken to.
const (
	ProviderOpenAI    = "openai" // and whatever is compatible
	ProviderAnthropic = "anthropic"
)

// The APIs of OpenAI and of what is compatible with it.
const (
	APIChatCompletions = "chat_completions"
	APIResponses       = "responses"
)

// Subscription is an account at a provider of models, as people may see it: without its key.
type Subscription struct {
	ID        int64             `json:"id"`
	User      UserID            `json:"-"` // whose it is; 0: the installation's
	Shared    bool              `json:"shared" doc:"It is the installation's, for everybody."`
	Name      string            `json:"name" doc:"The first part of the ids of its models." example:"openrouter"`
	Provider  string            `json:"provider" enum:"openai,anthropic" doc:"How it is spoken to; openai also for whatever is compatible."`
	APIType   string            `json:"api_type" enum:"chat_completions,responses"`
	BaseURL   string            `json:"base_url" doc:"Empty: the provider's own."`
	KeyHint   string            `json:"key_hint" doc:"The end of its key; empty: it has none."`
	Models    []SubscribedModel `json:"models"`
	Enabled   bool              `json:"enabled"`
	Revision  int64             `json:"revision" doc:"Grows with each change."`
	ChangedAt time.Time         `json:"changed_at"`
	ChangedBy string            `json:"changed_by,omitempty" doc:"Name of the person; empty where the account is gone."`
}

// SubscribedModel is a model of a subscription that conversations can choose.
type SubscribedModel struct {
	ID         string   `json:"id" minLength:"1" maxLength:"128" doc:"The provider's name of it." example:"anthropic/claude-sonnet-5"`
	Alias      []string `json:"alias,omitempty" maxItems:"8" doc:"Other names of it."`
	Disabled   bool     `json:"disabled,omitempty" doc:"It cannot be chosen."`
	MaxContext int      `json:"max_context,omitempty" minimum:"0" maximum:"100000000" doc:"Tokens that it takes in all; 0: what is known of it by its name."`
	MaxOutput  int      `json:"max_output,omitempty" minimum:"0" maximum:"10000000" doc:"Tokens that an answer may have; 0: as many as the model can."`
	Vision     *bool    `json:"vision,omitempty" doc:"Whether it reads pictures; left out: what its name tells."`
	Think      string   `json:"think,omitempty" enum:",off,minimal,low,medium,high,xhigh" doc:"How much it thinks where nobody says; empty: as much as it does by itself."`
	Price      *Price   `json:"price,omitempty" doc:"What it costs; left out: not known."`
}

// Price is what a provider asks, in USD for a million tokens.
type Price struct {
	Input  float64 `json:"input" minimum:"0"`
	Cached float64 `json:"cached" minimum:"0" doc:"For the part of the input that the provider served from its cache."`
	Output float64 `json:"output" minimum:"0"`
}

// ToolKey is how a service that tools use is reached, as people may see it: without its key.
type ToolKey struct {
	User      UserID    `json:"-"` // whose it is; 0: the installation's
	Service   string    `json:"service" example:"transcription"`
	Shared    bool      `json:"shared" doc:"It is the installation's, for everybody."`
	BaseURL   string    `json:"base_url" doc:"Empty: the service's own."`
	Model     string    `json:"model" doc:"Empty: the usual one."`
	KeyHint   string    `json:"key_hint" doc:"The end of the key; empty: there is none." example:"…1234"`
	Revision  int64     `json:"revision"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Empty: nobody who is still there."`
}

// MCPTransport is how an MCP server is spoken to.
type MCPTransport string

// The transports.
const (
	MCPStdio MCPTransport = "stdio" // a command on the runner of whoever uses it
	MCPHTTP  MCPTransport = "http"  // streamable HTTP
	MCPSSE   MCPTransport = "sse"   // HTTP with a stream of events, as servers had it before
)

// MCPConfig is what a server of tools that speaks the Model Context Protocol is, without what is secret.
type MCPConfig struct {
	Name         string       `json:"name" doc:"One to 32 small letters, digits and dashes." example:"github"`
	Transport    MCPTransport `json:"transport" enum:"stdio,http,sse"`
	Command      string       `json:"command,omitempty" doc:"Of stdio: the program, run on the runner of whoever uses it." example:"npx"`
	Args         []string     `json:"args,omitempty"`
	URL          string       `json:"url,omitempty" doc:"Of http and sse." example:"https://mcp.example.com/mcp"`
	Account      string       `json:"account,omitempty" doc:"Of a server of the installation with a url: the OAuth provider whose connected account authorizes requests, that of whoever uses the server." example:"github"`
	Instructions string       `json:"instructions,omitempty" doc:"What its owner tells the model about it."`
	Trusted      bool         `json:"trusted,omitempty" doc:"For servers of the installation: trust the tool annotations. Tools marked read-only run without approval and in read-only conversations."`
	Enabled      bool         `json:"enabled"`
}

// MCPServer is one as people may see it: without the values of variables and headers.
type MCPServer struct {
	MCPConfig
	MCPState

	ID          int64     `json:"id"`
	User        UserID    `json:"-"` // whose it is; 0: the installation's
	Shared      bool      `json:"shared" doc:"It is the installation's, for everybody."`
	EnvNames    []string  `json:"env_names" doc:"Environment variables of the command."`
	HeaderNames []string  `json:"header_names" doc:"Headers of each request."`
	Revision    int64     `json:"revision"`
	CreatedAt   time.Time `json:"created_at"`
	ChangedAt   time.Time `json:"changed_at"`
	ChangedBy   string    `json:"changed_by" doc:"Empty: nobody who is still there."`
	FromFile    bool      `json:"from_file,omitempty" doc:"It stands in mcp.json of the server's data folder, and is changed there alone."`
}

// MCPState is what is known of a server since somebody last spoke to it.
type MCPState struct {
	ListedAt  *time.Time `json:"listed_at,omitempty" doc:"When it last said what it offers."`
	Digest    string     `json:"-"` // tells one list of what it offers from another
	Guide     string     `json:"guide,omitempty" doc:"What it says itself about its use."`
	LeftOut   []string   `json:"left_out,omitempty" doc:"What it offers and nobody is shown, each with why."`
	Tools     int        `json:"tools" doc:"How many tools it offers."`
	Prompts   int        `json:"prompts"`
	Resources int        `json:"resources" doc:"How many resources it lists, patterns of addresses included."`
	Problem   string     `json:"problem,omitempty" doc:"Why it could not be reached or read the last time."`
	ProblemAt *time.Time `json:"problem_at,omitempty"`
	// WantsAccount says what the problem is.
	WantsAccount bool `json:"wants_account,omitempty" doc:"It asks for an account, which can be connected with POST .../account."`
}

// MCPOffers is what a server lists.
type MCPOffers struct {
	Digest    string        `json:"-"`
	Guide     string        `json:"guide,omitempty"`
	LeftOut   []string      `json:"left_out,omitempty"`
	Tools     []MCPTool     `json:"tools"`
	Prompts   []MCPPrompt   `json:"prompts"`
	Resources []MCPResource `json:"resources"`
}

// MCPTool is a tool of a server, under the name that the server knows.
type MCPTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema" doc:"JSON Schema of its arguments."`
	Hints       MCPHints        `json:"hints"`
}

// MCPHints is what a server says of the effects of a tool. Nothing proves it.
type MCPHints struct {
	ReadOnly    bool  `json:"read_only,omitempty"`
	Idempotent  bool  `json:"idempotent,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	OpenWorld   *bool `json:"open_world,omitempty"`
}

// MCPPrompt is a prompt of a server, under the name that the server knows.
type MCPPrompt struct {
	Name        string              `json:"name"`
	Title       string              `json:"title,omitempty"`
	Description string              `json:"description,omitempty"`
	Arguments   []MCPPromptArgument `json:"arguments,omitempty"`
}

// MCPPromptArgument is a text that a prompt takes.
type MCPPromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// MCPResource is something that a server lets read.
type MCPResource struct {
	URI         string `json:"uri"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	MediaType   string `json:"media_type,omitempty"`
	Pattern     bool   `json:"pattern,omitempty" doc:"The address has parts to fill in (RFC 6570)."`
}

// OAuthClientAuth says where requests for tokens have the secret of the client.
type OAuthClientAuth string

// The places.
const (
	OAuthInBody   OAuthClientAuth = "body"   // client_secret_post
	OAuthInHeader OAuthClientAuth = "header" // client_secret_basic
)

// OAuthProviderConfig is what a service is at which people have accounts that xbot may use for them, without what is secret.
type OAuthProviderConfig struct {
	ID           string          `json:"id" doc:"One to 32 small letters, digits and dashes." example:"github"`
	Name         string          `json:"name" doc:"As people read it." example:"GitHub"`
	Issuer       string          `json:"issuer,omitempty" doc:"Who the provider says it is when it sends a browser back (RFC 9207): no other answer is accepted. Empty: it is not compared."`
	AuthorizeURL string          `json:"authorize_url" doc:"Where people are asked. Parameters in it are kept." example:"https://github.com/login/oauth/authorize"`
	TokenURL     string          `json:"token_url" example:"https://github.com/login/oauth/access_token"`
	RevokeURL    string          `json:"revoke_url,omitempty" doc:"Where tokens are given back (RFC 7009); empty: nowhere."`
	AccountURL   string          `json:"account_url,omitempty" doc:"Answers an access token with whose it is, as JSON, such as the userinfo endpoint; empty: nobody is asked." example:"https://api.github.com/user"`
	Scopes       []string        `json:"scopes" doc:"What is always asked for."`
	MoreScopes   []string        `json:"more_scopes" doc:"What a conversation may ask for beside scopes."`
	ClientID     string          `json:"client_id" doc:"What the provider knows xbot as."`
	ClientAuth   OAuthClientAuth `json:"client_auth" enum:"body,header" doc:"Where requests for tokens have the secret of the client."`
	Enabled      bool            `json:"enabled"`
	Resource     string          `json:"resource,omitempty" doc:"What tokens are asked for (RFC 8707): of the provider of an MCP server that server."`
	// SilentIssuer says that a browser may come back without a word of the issuer; any other word than Issuer is refused all the same.
	SilentIssuer bool `json:"-"`
}

// OAuthProvider is one as administrators see it.
type OAuthProvider struct {
	OAuthProviderConfig

	MCPServer int64     `json:"mcp_server,omitempty" doc:"Number of the MCP server that has named it, with which it comes and goes; left out: administrators keep it."`
	Owner     UserID    `json:"-"` // whose that server is; 0: the installation's
	Secret    bool      `json:"secret" doc:"It has a secret of the client, which is never shown."`
	Accounts  int       `json:"accounts" doc:"How many people have connected an account."`
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"created_at"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Empty: nobody who is still there."`
}

// OAuthAccount is an account of a person at a provider, without its tokens.
type OAuthAccount struct {
	Provider    string     `json:"provider" doc:"Id of the provider."`
	Label       string     `json:"label,omitempty" doc:"Whose account it is, in the words of the provider."`
	Asked       []string   `json:"-"` // the scopes that were asked for
	Scopes      []string   `json:"scopes" doc:"What was granted, in the words of the provider, which may have other names for what was asked for."`
	Problem     string     `json:"problem,omitempty" doc:"Why it must be connected again; left out: it need not."`
	ExpiresAt   *time.Time `json:"expires_at,omitempty" doc:"When the access token ends, which is renewed before."`
	ConnectedAt time.Time  `json:"connected_at"`
	RefreshedAt *time.Time `json:"refreshed_at,omitempty"`
}

// AccountAsk says of a question that it is answered by connecting an account.
type AccountAsk struct {
	Provider string   `json:"provider" doc:"Id of the provider."`
	Name     string   `json:"name" doc:"Of the provider."`
	Scopes   []string `json:"scopes,omitempty" doc:"What is asked for."`
}
