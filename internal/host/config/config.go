// Package config reads the settings of a process: .env, then config.json in XBOT_HOME, then the environment, later
// ones winning. XBOT_ENV_FILE names another file in place of .env; that of the working folder is never read,
// since an agent may have written it. Each setting has one name, its environment variable; config.json groups the same names,
// {"llm": {"model": …}} is LLM_MODEL.
package config

import "time"

// Home configures the folder of a process's files.
type Home struct {
	Dir     string `env:"XBOT_HOME" help:"data folder; default ~/.xbot"`
	EnvFile string `env:"XBOT_ENV_FILE" help:"file of settings that is read in place of .env in XBOT_HOME; the same as --env-file"`
}

// Database configures the connection to Postgres.
type Database struct {
	URL  string `env:"XBOT_DATABASE_URL" secret:"true" help:"Postgres connection string; empty: xbot serve starts its own"`
	Copy string `env:"XBOT_COPY" envDefault:"off" help:"on: the database is a copy of one that another xbot works with: bots are not connected, jobs do not fire, deliveries wait"`
}

// IsCopy reports whether another xbot works with the original of the database.
func (d Database) IsCopy() bool { return d.Copy == "on" }

// Temporal configures the connection to Temporal. The remaining TEMPORAL_ variables (TLS, API key, profile) are read by
// Temporal's own envconfig, as the temporal CLI does.
type Temporal struct {
	Address   string `env:"TEMPORAL_ADDRESS" help:"host:port of the Temporal frontend; empty: xbot serve starts its own"`
	Namespace string `env:"TEMPORAL_NAMESPACE" envDefault:"default" help:"Temporal namespace"`
	UI        string `env:"XBOT_TEMPORAL_UI_URL" help:"address of the Temporal UI that /temporal/ leads to; set by xbot serve for its own"`
	UIToken   string `env:"XBOT_TEMPORAL_UI_TOKEN" secret:"true" help:"token that this UI demands (--ui-token-file of xbot-temporal); sent to XBOT_TEMPORAL_UI_URL only"`
	Summaries string `env:"XBOT_TEMPORAL_SUMMARIES" envDefault:"on" help:"on | off: whether the first words of messages, and of tool calls, stand in Temporal summaries"`
	Codec     string `env:"XBOT_TEMPORAL_CODEC" envDefault:"off" help:"on | off: whether what stands in Temporal's histories is encrypted; the Temporal UI behind the login decrypts it"`
}

// Versions configures whether workers have versions (Temporal's worker deployments).
type Versions struct {
	Versioning string `env:"XBOT_WORKER_VERSIONING" envDefault:"off" help:"off | on: whether what a build of the worker has begun stays with workers of that build; see xbot versions"`
	Build      string `env:"XBOT_BUILD_ID" help:"name of this build in histories and among the versions; default: what xbot version prints"`
}

// Local configures where the servers that xbot serve starts listen.
type Local struct {
	TemporalPort int    `env:"XBOT_TEMPORAL_PORT" envDefault:"0" help:"loopback port of the local Temporal; 0: chosen once and kept"`
	UIPort       int    `env:"XBOT_TEMPORAL_UI_PORT" envDefault:"0" help:"loopback port of the local Temporal UI; 0: chosen once and kept"`
	PostgresBin  string `env:"XBOT_POSTGRES_BIN" help:"folder of initdb and postgres; default: PATH, then the usual places"`
}

// LLM selects the model that answers.
type LLM struct {
	Provider      string        `env:"LLM_PROVIDER" help:"openai | anthropic | demo; empty: what the model's name says, else openai if a key, base URL or model is set, else demo"`
	BaseURL       string        `env:"LLM_BASE_URL" secret:"inside" help:"base URL of the provider's API"`
	APIKey        string        `env:"LLM_API_KEY" secret:"true" help:"key of the provider"`
	Model         string        `env:"LLM_MODEL" help:"model id"`
	MaxContext    int           `env:"LLM_MAX_CONTEXT" envDefault:"0" help:"tokens that the model takes in all; 0: what is known of the model, else 200000"`
	MaxOutput     int           `env:"LLM_MAX_OUTPUT" envDefault:"0" help:"tokens of one answer at most; 0: what is known of the model, else 32768"`
	Vision        string        `env:"LLM_VISION" help:"on | off: whether the model reads pictures; empty: what its name tells"`
	PriceInput    string        `env:"LLM_PRICE_INPUT" help:"USD for a million tokens that the model reads; with LLM_PRICE_OUTPUT, costs are shown"`
	PriceCached   string        `env:"LLM_PRICE_CACHED" help:"USD for a million tokens that the provider served from its cache; default: LLM_PRICE_INPUT"`
	PriceOutput   string        `env:"LLM_PRICE_OUTPUT" help:"USD for a million tokens that the model writes"`
	RetryAttempts int           `env:"LLM_RETRY_ATTEMPTS" envDefault:"5" help:"calls in all before a step gives up"`
	RetryDelay    time.Duration `env:"LLM_RETRY_DELAY" envDefault:"1s" help:"pause before the second call; doubles"`
	RetryMaxDelay time.Duration `env:"LLM_RETRY_MAX_DELAY" envDefault:"30s" help:"longest pause between calls"`
	RetryTimeout  time.Duration `env:"LLM_RETRY_TIMEOUT" envDefault:"120s" help:"a call without progress for this long has failed"`
}

// Agent bounds what a turn may do.
type Agent struct {
	MaxIterations int           `env:"AGENT_MAX_ITERATIONS" envDefault:"200" help:"LLM calls of one turn"`
	Titles        string        `env:"AGENT_TITLES" envDefault:"on" help:"on | off: whether a model names conversations after their first answer; people can switch it off for theirs"`
	Keep          time.Duration `env:"XBOT_FILES_KEEP" envDefault:"0" help:"how long files are kept that people sent on platforms; 0: until their conversation is deleted"`
}

// Context configures how conversations are kept within what the model takes.
type Context struct {
	Mode       string        `env:"AGENT_CONTEXT_MODE" envDefault:"default" help:"default | none: whether old results are hidden and conversations compressed by themselves"`
	MaskAt     float64       `env:"AGENT_MASK_AT" envDefault:"0.6" help:"part of the context window from which old results of tools are hidden"`
	CompressAt float64       `env:"AGENT_COMPRESS_AT" envDefault:"0.75" help:"part of the context window from which the conversation is compressed"`
	Cooldown   int           `env:"AGENT_COMPRESS_COOLDOWN" envDefault:"5" help:"answers of the model between two compressions at least"`
	Flush      string        `env:"AGENT_MEMORY_FLUSH" envDefault:"on" help:"on | off: whether the model may save lasting notes before a conversation is compressed"`
	Pruning    string        `env:"AGENT_PRUNING" envDefault:"cache-ttl" help:"off | cache-ttl | on: whether old results of tools are cut in requests: where the provider's cache has expired, or in each one"`
	PruningTTL time.Duration `env:"AGENT_PRUNING_TTL" envDefault:"5m" help:"how long the provider keeps what it has read (AGENT_PRUNING=cache-ttl)"`
}

// Memory configures the memory of users.
type Memory struct {
	MemoryProvider     string `env:"MEMORY_PROVIDER" envDefault:"flat" help:"flat | letta: who keeps memory, where the policy does not say"`
	EmbeddingProvider  string `env:"LLM_EMBEDDING_PROVIDER" envDefault:"openai" help:"openai (or a service that is compatible) | ollama: who makes embeddings for letta"`
	EmbeddingBaseURL   string `env:"LLM_EMBEDDING_BASE_URL" secret:"inside" help:"address of that service; default: the provider's own"`
	EmbeddingAPIKey    string `env:"LLM_EMBEDDING_API_KEY" secret:"true" help:"key of that service"`
	EmbeddingModel     string `env:"LLM_EMBEDDING_MODEL" help:"model that makes embeddings; empty: memory is searched by words alone"`
	EmbeddingMaxTokens int    `env:"LLM_EMBEDDING_MAX_TOKENS" envDefault:"2048" help:"tokens of one text that the model takes; what is longer is cut for it"`
	EmbeddingOverlong  string `env:"LLM_EMBEDDING_OVERLONG" envDefault:"truncate" help:"truncate | compress: whether what is longer is cut, or shortened by the model of a conversation of its person"`
}

// Prompt configures the system prompt.
type Prompt struct {
	File string `env:"PROMPT_FILE" help:"template of the system prompt; default: prompt.md in XBOT_HOME, and without it the one of the program"`
}

// HTTP configures where the ingress listens.
type HTTP struct {
	Addr     string        `env:"XBOT_HTTP_ADDR" envDefault:"127.0.0.1:8080" help:"address of the page and the API"`
	URL      string        `env:"XBOT_PUBLIC_URL" help:"address that people use, if it is not the one above (behind a proxy)"`
	Hosts    []string      `env:"XBOT_ALLOWED_HOSTS" help:"further host names that requests may name, comma separated"`
	Proxies  []string      `env:"XBOT_TRUSTED_PROXIES" help:"networks of proxies in front of the ingress, comma separated: their X-Forwarded-For says where somebody signs in from"`
	Internal string        `env:"XBOT_INTERNAL_URL" help:"address at which workers reach this ingress; default: the HTTP address"`
	Keep     time.Duration `env:"XBOT_KEEP_EVENTS" envDefault:"720h" help:"how long events to people, and what models were sent, are kept; conversations stay. 0: for ever"`
	Held     time.Duration `env:"XBOT_HELD_AFTER" envDefault:"5m" help:"how long an answer may be blocked by a fault in workflow code before the person is told"`
	Admin    string        `env:"XBOT_ADMIN" envDefault:"admin" help:"name of the administrator created at first start"`

	AdminChat     string `env:"ADMIN_CHAT_ID" help:"direct chat on a platform in which the first administrator writes, such as napcat:10001; empty: STARTUP_NOTIFY_CHAT_ID, if that is one; none: nobody"`
	NotifyChat    string `env:"STARTUP_NOTIFY_CHAT_ID" help:"chat on a platform that is told when the server has started, such as feishu:oc_4e7 or napcat:group:20001; empty: ADMIN_CHAT_ID; none: nobody"`
	NotifyChannel string `env:"STARTUP_NOTIFY_CHANNEL" help:"platform of those chats, where they name none"`
}

// OIDC configures the OpenID Connect provider by which people may sign in. They may if an issuer is set.
type OIDC struct {
	Issuer        string   `env:"XBOT_OIDC_ISSUER" help:"address of an OpenID Connect provider by which people sign in; empty: none"`
	ClientID      string   `env:"XBOT_OIDC_CLIENT_ID" help:"what the provider knows xbot as; its redirect address is XBOT_PUBLIC_URL/oidc/callback"`
	ClientSecret  string   `env:"XBOT_OIDC_CLIENT_SECRET" secret:"true" help:"secret of that client; empty: it has none"`
	ProviderName  string   `env:"XBOT_OIDC_NAME" envDefault:"single sign-on" help:"what the button of the sign-in page calls the provider"`
	Scopes        []string `env:"XBOT_OIDC_SCOPES" envDefault:"openid,profile,email" help:"scopes that the provider is asked for, comma separated"`
	GroupsClaim   string   `env:"XBOT_OIDC_GROUPS_CLAIM" envDefault:"groups" help:"claim that lists the groups of a person"`
	AllowedGroups []string `env:"XBOT_OIDC_ALLOWED_GROUPS" help:"groups whose people may come, comma separated; empty: everybody whom the provider lets in"`
	AdminGroups   []string `env:"XBOT_OIDC_ADMIN_GROUPS" help:"groups whose people are administrators, comma separated; others are members. Empty: roles are given in xbot"`
}

// Secrets configures the protection of stored secrets.
type Secrets struct {
	Key string `env:"XBOT_ENCRYPTION_KEY" secret:"true" help:"32 bytes in base64; empty: generated once into XBOT_HOME/secret.key"`
}

// Storage configures object storage (spec/004 §4.7).
type Storage struct {
	StorageBackend string `env:"STORAGE_BACKEND" envDefault:"local" help:"local | disk | s3: place of the files of new consumer conversations: runners, the folder STORAGE_DIR, or a bucket. Existing conversations stay in their place"`
	StorageDir     string `env:"STORAGE_DIR" help:"folder of object storage on disk, shared by all servers; default with STORAGE_BACKEND=disk: storage in XBOT_HOME"`
	S3Endpoint     string `env:"S3_ENDPOINT" help:"address of the S3 server, such as https://minio.example:9000; default: Amazon's of S3_REGION"`
	S3Public       string `env:"S3_PUBLIC_ENDPOINT" help:"address by which browsers reach the S3 server, for downloads; none: files pass through xbot; default: S3_ENDPOINT"`
	S3Bucket       string `env:"S3_BUCKET" help:"bucket of object storage"`
	S3Region       string `env:"S3_REGION" envDefault:"us-east-1" help:"region of the bucket"`
	S3AccessKey    string `env:"S3_ACCESS_KEY" help:"access key of the bucket"`
	S3Secret       string `env:"S3_SECRET" secret:"true" help:"secret key of the bucket"`
	S3Prefix       string `env:"S3_PREFIX" envDefault:"xbot" help:"prefix of all keys in the bucket"`
}

// Runner configures the local runner.
type Runner struct {
	Workspace string        `env:"XBOT_WORKSPACE" help:"folder where sessions start, and that commands of the local runner may change; default: xbot in the home folder of the user"`
	Writable  []string      `env:"XBOT_WRITABLE" help:"folders that commands of the local runner may change besides the workspace and those for temporary files, comma separated"`
	Confine   string        `env:"XBOT_CONFINE" help:"auto | require | off: whether commands of the local runner are confined; where this machine cannot confine them, auto refuses commands and require does not start the runner; off runs them without a sandbox. Default: what an administrator chose on the page or in xbot setup, else auto"`
	Processes string        `env:"XBOT_LIMIT_PROCESSES" help:"processes and threads of the user who runs commands of the local runner; default: 16384; 0: no limit"`
	Memory    string        `env:"XBOT_LIMIT_MEMORY" help:"private memory of one process of a command of the local runner, such as 8G; default: no limit"`
	FileSize  string        `env:"XBOT_LIMIT_FILE_SIZE" help:"size of a file that a command of the local runner writes; default: 64G"`
	KeepFree  string        `env:"XBOT_LIMIT_FREE" help:"free space on a disk below which a command of the local runner that fills it is ended; default: 1G, at most a tenth of the disk; 0: none"`
	Wait      time.Duration `env:"XBOT_RUNNER_WAIT" envDefault:"30s" help:"how long a call waits for a runner that is offline"`
}

// Docker configures the containers of users. They exist if an image is set.
type Docker struct {
	Image    string        `env:"XBOT_DOCKER_IMAGE" help:"image of the containers that commands of users run in; it must hold /bin/sh; empty: no containers"`
	Engine   string        `env:"XBOT_DOCKER_PROGRAM" envDefault:"docker" help:"program that drives the container engine"`
	Memory   string        `env:"XBOT_DOCKER_MEMORY" envDefault:"2g" help:"memory of one container, without swap"`
	CPUs     float64       `env:"XBOT_DOCKER_CPUS" envDefault:"2" help:"processors that one container may use at once"`
	PIDs     int           `env:"XBOT_DOCKER_PIDS" envDefault:"512" help:"processes and threads of one container"`
	Network  string        `env:"XBOT_DOCKER_NETWORK" envDefault:"none" help:"none | bridge | name of a network of the engine"`
	Idle     time.Duration `env:"XBOT_DOCKER_IDLE" envDefault:"30m" help:"a container without requests and commands for this long is stopped; the next request starts it again"`
	HostPath []string      `env:"XBOT_DOCKER_HOST_PATH" help:"where folders of this process are on the engine's machine, if it runs in a container itself: /data=/srv/xbot, comma separated"`
}

// Telemetry configures what is reported and where.
type Telemetry struct {
	LogLevel  string `env:"LOG_LEVEL" envDefault:"info" help:"debug | info | warn | error"`
	LogFormat string `env:"LOG_FORMAT" envDefault:"text" help:"text | json"`
	OTLP      string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" secret:"inside" help:"OpenTelemetry collector that gets traces of turns and of Temporal; empty: none"`
	Langfuse  string `env:"LANGFUSE_ENABLED" envDefault:"false" help:"true | false: whether traces of turns are exported to Langfuse; administrators can also configure this on the page"`
	Pprof     string `env:"XBOT_PPROF_ADDR" help:"loopback address for profiles (net/http/pprof); empty: none"`
	Metrics   string `env:"XBOT_METRICS_ADDR" help:"address for the /metrics, /healthz and /readyz of a worker; empty: none"`

	LangfuseHost      string `env:"LANGFUSE_HOST" envDefault:"https://cloud.langfuse.com" secret:"inside" help:"address of Langfuse"`
	LangfusePublicKey string `env:"LANGFUSE_PUBLIC_KEY" help:"public key of a Langfuse project"`
	LangfuseSecretKey string `env:"LANGFUSE_SECRET_KEY" secret:"true" help:"secret key of that project"`
	TraceContent      string `env:"XBOT_TRACE_CONTENT" envDefault:"off" help:"on | off: whether traces of turns contain prompts, replies, arguments and results, with secrets masked"`
}

// Serve is everything in one process.
type Serve struct {
	Home
	Database
	Temporal
	Local
	LLM
	Agent
	Context
	Memory
	Prompt
	HTTP
	OIDC
	Secrets
	Storage
	Permissions
	Runner
	Docker
	Telemetry
}

// Ingress is the settings of xbot ingress.
type Ingress struct {
	Home
	Database
	Temporal
	HTTP
	OIDC
	LLM // users are shown the configured model; the ingress never calls it
	Context
	Memory
	Prompt
	Secrets
	Storage
	Permissions
	Runner
	Docker
	Telemetry
}

// Worker is the settings of xbot worker.
type Worker struct {
	Home
	Database
	Temporal
	Versions
	LLM
	Agent
	Context
	Memory
	Prompt
	Secrets
	Storage
	Permissions
	Runner
	Docker
	Telemetry
	Links
}

// Links configures how people reach the ingress, for processes that are none.
type Links struct {
	PublicURL string `env:"XBOT_PUBLIC_URL" help:"address that people use, for links in chats: as the ingress has it"`
}
