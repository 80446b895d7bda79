package chat

import (
	"encoding/json"
	"time"
)

// The think levels: how much a model thinks before it answers, from nothing to its maximum.
const (
	ThinkOff     = "off"
	ThinkMinimal = "minimal"
	ThinkLow     = "low"
	ThinkMedium  = "medium"
	ThinkHigh    = "high"
	ThinkXHigh   = "xhigh"
)

// ThinkLevels lists all think levels, ascending.
var ThinkLevels = []string{ThinkOff, ThinkMinimal, ThinkLow, ThinkMedium, ThinkHigh, ThinkXHigh}

// The verbosities: how much of the work a channel shows.
const (
	VerboseOff  = "off"
	VerboseOn   = "on"
	VerboseFull = "full"
)

// Verbosities lists all verbosities, ascending.
var Verbosities = []string{VerboseOff, VerboseOn, VerboseFull}

// ModelCriteria is the input of the choice of the model for a session, and of its think level.
type ModelCriteria struct {
	User   UserID
	Admin  bool   // the user is an administrator
	Runner string // named by the session
	PersonModels

	Agent    string
	Channel  string
	Account  string
	Chat     string // the platform's id of the chat
	ChatType ChatType
	// Activation is the value set by /activation for the group; empty: the policy decides.
	Activation string
	Scene      string
	Model      string // chosen for the session
	Think      string // chosen for the session
	Send       string // on, off; empty: the policy decides
	OfTurn
}

// Location is the place of a conversation, with the attributes that the policy distinguishes.
type Location struct {
	Channel  string   `json:"channel"`
	Account  string   `json:"account"`
	ChatType ChatType `json:"chat_type"`
	Scene    string   `json:"scene"`
	// Job is the narrowed permissions if the conversation belongs to a job; nil: none.
	Job *JobPermits `json:"job,omitempty"`
}

// Confinement narrows what the commands of a conversation may do, below the limits of their runner. The zero value narrows nothing.
type Confinement struct {
	ReadOnly bool // neither commands nor the tools that write files change a file
	Offline  bool // commands open no sockets: neither to the network nor to other programs of the machine
	Confined bool // commands do not start if their runner does not confine commands
	// Keep, with ReadOnly, is a folder that stays writable if the runner lets commands write it; "~/" begins the home folder.
	Keep string
}

// OfTurn is the options and position of the running turn of a conversation.
type OfTurn struct {
	Options Options   // of the message that it answers
	Plan    PlanState // whether it has to propose a plan
	Above   Location  // place of the top conversation; one without a parent is its own top
	Root    ChatType  // of the top conversation: for jobs and triggers, unlike Above, their own
}

// PersonModels is a user's settings for models and memory, for all conversations.
type PersonModels struct {
	Own           bool   // a model of a runner may answer: a usable one offers one, and the user did not ask for the server's
	Usual         string // the model that the user chose for all conversations; empty: none
	UsualThink    string // the think level for all conversations; empty: not set
	Subscriptions int64  // current version of the subscriptions
	Services      int64  // current version of the services, if a service answers; elsewhere 0
	ToolSources   int64  // current version of the sources of tools

	MemoryChoices
	// OfGroup marks the conversation of a group of a platform, which has no accounts and no triggers.
	OfGroup bool
}

// MemoryChoices is a user's opt-outs from memory.
type MemoryChoices struct {
	NoMemory    bool // conversations are not written to memory, nor read by others of the user's agents
	NoSoul      bool // agents write no soul files
	NotesLocked bool // agents read memory, and write nothing
}

// The scenes: the two ways in which a place is used.
const (
	SceneChat = "chat"
	SceneWork = "work"
)

// The providers of models, by API.
const (
	ProviderOpenAI    = "openai" // and compatible ones
	ProviderAnthropic = "anthropic"
)

// The APIs of OpenAI and of compatible providers.
const (
	APIChatCompletions = "chat_completions"
	APIResponses       = "responses"
)

// Subscription is a model connection, as users may see it: without its key.
type Subscription struct {
	ID        int64             `json:"id"`
	User      UserID            `json:"-"` // owner; 0: the installation
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

// Price is the price of a provider, in USD for a million tokens.
type Price struct {
	Input  float64 `json:"input" minimum:"0"`
	Cached float64 `json:"cached" minimum:"0" doc:"For the part of the input that the provider served from its cache."`
	Output float64 `json:"output" minimum:"0"`
}

// ToolKey is the access to a service that tools use, as users may see it: without its key.
type ToolKey struct {
	User      UserID    `json:"-"` // owner; 0: the installation
	Service   string    `json:"service" example:"transcription"`
	Shared    bool      `json:"shared" doc:"It is the installation's, for everybody."`
	Provider  string    `json:"provider,omitempty" doc:"Whose API it is, of pictures, speech and video; missing: the default one." example:"openai"`
	BaseURL   string    `json:"base_url" doc:"Empty: the service's own."`
	Model     string    `json:"model" doc:"Empty: the usual one."`
	Price     *float64  `json:"price,omitempty" doc:"USD for a picture, for a million characters of speech or for a second of video; missing: what is known of the model."`
	KeyHint   string    `json:"key_hint" doc:"The end of the key; empty: there is none." example:"…1234"`
	Revision  int64     `json:"revision"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Empty: nobody who is still there."`
}

// MCPTransport is the transport of an MCP server.
type MCPTransport string

// The transports.
const (
	MCPStdio MCPTransport = "stdio" // a command on the runner of the user
	MCPHTTP  MCPTransport = "http"  // streamable HTTP
	MCPSSE   MCPTransport = "sse"   // HTTP with a stream of events, the older transport
)

// MCPConfig is the configuration of an MCP server, without secrets.
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

// MCPServer is an MCP server as users may see it: without the values of variables and headers.
type MCPServer struct {
	MCPConfig
	MCPState

	ID          int64     `json:"id"`
	User        UserID    `json:"-"` // owner; 0: the installation
	Shared      bool      `json:"shared" doc:"It is the installation's, for everybody."`
	EnvNames    []string  `json:"env_names" doc:"Environment variables of the command."`
	HeaderNames []string  `json:"header_names" doc:"Headers of each request."`
	Revision    int64     `json:"revision"`
	CreatedAt   time.Time `json:"created_at"`
	ChangedAt   time.Time `json:"changed_at"`
	ChangedBy   string    `json:"changed_by" doc:"Empty: nobody who is still there."`
	FromFile    bool      `json:"from_file,omitempty" doc:"It stands in mcp.json of the server's data folder, and is changed there alone."`
}

// MCPState is the state of a server as of the last connection.
type MCPState struct {
	ListedAt  *time.Time `json:"listed_at,omitempty" doc:"When it last said what it offers."`
	Digest    string     `json:"-"` // identifies the list of offers
	Guide     string     `json:"guide,omitempty" doc:"What it says itself about its use."`
	LeftOut   []string   `json:"left_out,omitempty" doc:"What it offers and nobody is shown, each with why."`
	Tools     int        `json:"tools" doc:"How many tools it offers."`
	Prompts   int        `json:"prompts"`
	Resources int        `json:"resources" doc:"How many resources it lists, patterns of addresses included."`
	Problem   string     `json:"problem,omitempty" doc:"Why it could not be reached or read the last time."`
	ProblemAt *time.Time `json:"problem_at,omitempty"`
	// WantsAccount reports that the problem is a missing account.
	WantsAccount bool `json:"wants_account,omitempty" doc:"It asks for an account, which can be connected with POST .../account."`
}

// MCPOffers is the tools, prompts and resources that a server lists.
type MCPOffers struct {
	Digest    string        `json:"-"`
	Guide     string        `json:"guide,omitempty"`
	LeftOut   []string      `json:"left_out,omitempty"`
	Tools     []MCPTool     `json:"tools"`
	Prompts   []MCPPrompt   `json:"prompts"`
	Resources []MCPResource `json:"resources"`
}

// MCPTool is a tool of a server, under the server's name.
type MCPTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema" doc:"JSON Schema of its arguments."`
	Hints       MCPHints        `json:"hints"`
}

// MCPHints is the effects that a server declares for a tool. They are unverified.
type MCPHints struct {
	ReadOnly    bool  `json:"read_only,omitempty"`
	Idempotent  bool  `json:"idempotent,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	OpenWorld   *bool `json:"open_world,omitempty"`
}

// MCPPrompt is a prompt of a server, under the server's name.
type MCPPrompt struct {
	Name        string              `json:"name"`
	Title       string              `json:"title,omitempty"`
	Description string              `json:"description,omitempty"`
	Arguments   []MCPPromptArgument `json:"arguments,omitempty"`
}

// MCPPromptArgument is a text argument of a prompt.
type MCPPromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// MCPResource is a readable resource of a server.
type MCPResource struct {
	URI         string `json:"uri"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	MediaType   string `json:"media_type,omitempty"`
	Pattern     bool   `json:"pattern,omitempty" doc:"The address has parts to fill in (RFC 6570)."`
}

// OAuthClientAuth is where requests for tokens carry the secret of the client.
type OAuthClientAuth string

// The places.
const (
	OAuthInBody   OAuthClientAuth = "body"   // client_secret_post
	OAuthInHeader OAuthClientAuth = "header" // client_secret_basic
)

// OAuthProviderConfig is the configuration of an OAuth provider whose accounts users connect, without secrets.
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
	// SilentIssuer allows a browser to return without an issuer; any other value than Issuer is still refused.
	SilentIssuer bool `json:"-"`
}

// OAuthProvider is an OAuth provider as administrators see it.
type OAuthProvider struct {
	OAuthProviderConfig

	MCPServer int64     `json:"mcp_server,omitempty" doc:"Number of the MCP server that has named it, with which it comes and goes; left out: administrators keep it."`
	Owner     UserID    `json:"-"` // owner of that server; 0: the installation
	Secret    bool      `json:"secret" doc:"It has a secret of the client, which is never shown."`
	Accounts  int       `json:"accounts" doc:"How many people have connected an account."`
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"created_at"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Empty: nobody who is still there."`
}

// OAuthAccount is an account of a user at a provider, without its tokens.
type OAuthAccount struct {
	Provider    string     `json:"provider" doc:"Id of the provider."`
	Label       string     `json:"label,omitempty" doc:"Whose account it is, in the words of the provider."`
	Asked       []string   `json:"-"` // the requested scopes
	Scopes      []string   `json:"scopes" doc:"What was granted, in the words of the provider, which may have other names for what was asked for."`
	Problem     string     `json:"problem,omitempty" doc:"Why it must be connected again; left out: it need not."`
	ExpiresAt   *time.Time `json:"expires_at,omitempty" doc:"When the access token ends, which is renewed before."`
	ConnectedAt time.Time  `json:"connected_at"`
	RefreshedAt *time.Time `json:"refreshed_at,omitempty"`
}

// AccountAsk marks a question that is answered by connecting an account.
type AccountAsk struct {
	Provider string   `json:"provider" doc:"Id of the provider."`
	Name     string   `json:"name" doc:"Of the provider."`
	Scopes   []string `json:"scopes,omitempty" doc:"What is asked for."`
}
