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
	Shared    bool              `json:"shared" doc:"Belongs to the installation and applies to all users."`
	Name      string            `json:"name" doc:"The first part of the ids of its models." example:"openrouter"`
	Provider  string            `json:"provider" enum:"openai,anthropic" doc:"Protocol of the provider; openai also for compatible services."`
	APIType   string            `json:"api_type" enum:"chat_completions,responses"`
	BaseURL   string            `json:"base_url" doc:"Empty: the provider's own."`
	KeyHint   string            `json:"key_hint" doc:"The end of its key; empty: it has none."`
	Models    []SubscribedModel `json:"models"`
	Enabled   bool              `json:"enabled"`
	Revision  int64             `json:"revision" doc:"Grows with each change."`
	ChangedAt time.Time         `json:"changed_at"`
	ChangedBy string            `json:"changed_by,omitempty" doc:"Name of the user; empty if deleted."`
}

// SubscribedModel is a model of a subscription that conversations can choose.
type SubscribedModel struct {
	ID         string   `json:"id" minLength:"1" maxLength:"128" doc:"The provider's name of it." example:"anthropic/claude-sonnet-5"`
	Alias      []string `json:"alias,omitempty" maxItems:"8" doc:"Other names of it."`
	Disabled   bool     `json:"disabled,omitempty" doc:"It cannot be chosen."`
	MaxContext int      `json:"max_context,omitempty" minimum:"0" maximum:"100000000" doc:"Tokens that it takes in all; 0: what is known of it by its name."`
	MaxOutput  int      `json:"max_output,omitempty" minimum:"0" maximum:"10000000" doc:"Tokens that an answer may have; 0: as many as the model can."`
	Vision     *bool    `json:"vision,omitempty" doc:"Whether the model supports pictures; default: by its name."`
	Think      string   `json:"think,omitempty" enum:",off,minimal,low,medium,high,xhigh" doc:"Default reasoning effort. Empty: the model's own."`
	Price      *Price   `json:"price,omitempty" doc:"Prices; absent: unknown."`
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
	Shared    bool      `json:"shared" doc:"Belongs to the installation and applies to all users."`
	Provider  string    `json:"provider,omitempty" doc:"API of the address, for pictures, speech and video; absent: the default provider." example:"openai"`
	BaseURL   string    `json:"base_url" doc:"Empty: the service's own."`
	Model     string    `json:"model" doc:"Empty: the usual one."`
	Price     *float64  `json:"price,omitempty" doc:"USD per picture, per million characters of speech or per second of video; absent: the known price of the model."`
	KeyHint   string    `json:"key_hint" doc:"The end of the key; empty: there is none." example:"…1234"`
	Revision  int64     `json:"revision"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Empty if the user no longer exists."`
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
	Command      string       `json:"command,omitempty" doc:"For stdio: the program, which runs on each user's own runner." example:"npx"`
	Args         []string     `json:"args,omitempty"`
	URL          string       `json:"url,omitempty" doc:"Of http and sse." example:"https://mcp.example.com/mcp"`
	Account      string       `json:"account,omitempty" doc:"For servers of the installation with a URL: the OAuth provider whose connected account of each user authorizes requests." example:"github"`
	Instructions string       `json:"instructions,omitempty" doc:"Instructions for the model by its owner."`
	Trusted      bool         `json:"trusted,omitempty" doc:"For servers of the installation: trust the tool annotations. Tools marked read-only run without approval and in read-only conversations."`
	Enabled      bool         `json:"enabled"`
}

// MCPServer is an MCP server as users may see it: without the values of variables and headers.
type MCPServer struct {
	MCPConfig
	MCPState

	ID          int64     `json:"id"`
	User        UserID    `json:"-"` // owner; 0: the installation
	Shared      bool      `json:"shared" doc:"Belongs to the installation and applies to all users."`
	EnvNames    []string  `json:"env_names" doc:"Environment variables of the command."`
	HeaderNames []string  `json:"header_names" doc:"Headers of each request."`
	Revision    int64     `json:"revision"`
	CreatedAt   time.Time `json:"created_at"`
	ChangedAt   time.Time `json:"changed_at"`
	ChangedBy   string    `json:"changed_by" doc:"Empty if the user no longer exists."`
	FromFile    bool      `json:"from_file,omitempty" doc:"Defined in mcp.json in the server's data folder, and can only be changed there."`
}

// MCPState is the state of a server as of the last connection.
type MCPState struct {
	ListedAt  *time.Time `json:"listed_at,omitempty" doc:"Time of the last listing."`
	Digest    string     `json:"-"` // identifies the list of offers
	Guide     string     `json:"guide,omitempty" doc:"The server's own instructions."`
	LeftOut   []string   `json:"left_out,omitempty" doc:"Tools that are hidden, each with the reason."`
	Tools     int        `json:"tools" doc:"How many tools it offers."`
	Prompts   int        `json:"prompts"`
	Resources int        `json:"resources" doc:"How many resources it lists, patterns of addresses included."`
	Problem   string     `json:"problem,omitempty" doc:"Why it could not be reached or read the last time."`
	ProblemAt *time.Time `json:"problem_at,omitempty"`
	// WantsAccount reports that the problem is a missing account.
	WantsAccount bool `json:"wants_account,omitempty" doc:"The server requires an account, which can be connected with POST .../account."`
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
	Name         string          `json:"name" doc:"Display name." example:"GitHub"`
	Issuer       string          `json:"issuer,omitempty" doc:"Expected iss parameter of authorization responses (RFC 9207). Empty: not checked."`
	AuthorizeURL string          `json:"authorize_url" doc:"Authorization endpoint. Its query parameters are kept." example:"https://github.com/login/oauth/authorize"`
	TokenURL     string          `json:"token_url" example:"https://github.com/login/oauth/access_token"`
	RevokeURL    string          `json:"revoke_url,omitempty" doc:"Revocation endpoint (RFC 7009); empty: none."`
	AccountURL   string          `json:"account_url,omitempty" doc:"Endpoint that returns the account of an access token as JSON, such as the userinfo endpoint. Empty: none is called." example:"https://api.github.com/user"`
	Scopes       []string        `json:"scopes" doc:"Scopes that are always requested."`
	MoreScopes   []string        `json:"more_scopes" doc:"Additional scopes that a conversation may request."`
	ClientID     string          `json:"client_id" doc:"Client ID at the provider."`
	ClientAuth   OAuthClientAuth `json:"client_auth" enum:"body,header" doc:"Client authentication in token requests."`
	Enabled      bool            `json:"enabled"`
	Resource     string          `json:"resource,omitempty" doc:"Resource for which tokens are requested (RFC 8707); for the provider of an MCP server, that server."`
	// SilentIssuer allows a browser to return without an issuer; any other value than Issuer is still refused.
	SilentIssuer bool `json:"-"`
}

// OAuthProvider is an OAuth provider as administrators see it.
type OAuthProvider struct {
	OAuthProviderConfig

	MCPServer int64     `json:"mcp_server,omitempty" doc:"Number of the MCP server that declared it, which also removes it. Absent: managed by administrators."`
	Owner     UserID    `json:"-"` // owner of that server; 0: the installation
	Secret    bool      `json:"secret" doc:"It has a secret of the client, which is never shown."`
	Accounts  int       `json:"accounts" doc:"Number of users with a connected account."`
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"created_at"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Empty if the user no longer exists."`
}

// OAuthAccount is an account of a user at a provider, without its tokens.
type OAuthAccount struct {
	Provider    string     `json:"provider" doc:"Id of the provider."`
	Label       string     `json:"label,omitempty" doc:"Name of the account at the provider."`
	Asked       []string   `json:"-"` // the requested scopes
	Scopes      []string   `json:"scopes" doc:"The granted scopes as named by the provider, which may differ from the requested names."`
	Problem     string     `json:"problem,omitempty" doc:"Reason to reconnect the account; absent: none."`
	ExpiresAt   *time.Time `json:"expires_at,omitempty" doc:"When the access token ends, which is renewed before."`
	ConnectedAt time.Time  `json:"connected_at"`
	RefreshedAt *time.Time `json:"refreshed_at,omitempty"`
}

// AccountAsk marks a question that is answered by connecting an account.
type AccountAsk struct {
	Provider string   `json:"provider" doc:"Id of the provider."`
	Name     string   `json:"name" doc:"Of the provider."`
	Scopes   []string `json:"scopes,omitempty" doc:"The requested scopes."`
}
