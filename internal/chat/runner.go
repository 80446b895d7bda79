package chat

import "time"

// The kinds of runners.
const (
	RunnerLocal  = "local"  // the server's own host
	RunnerDocker = "docker" // a container
	RunnerNative = "native" // a machine of its owner
)

// Runner is a machine or container where a user's commands can run, as the API shows it.
type Runner struct {
	Name        string       `json:"name" doc:"local is the server's own host, __docker__ the server's container of this user." example:"laptop"`
	Kind        string       `json:"kind" enum:"local,docker,native"`
	Online      bool         `json:"online"`
	ConnectedAt *time.Time   `json:"connected_at,omitempty" doc:"When it last connected."`
	SeenAt      *time.Time   `json:"seen_at,omitempty" doc:"When the server last saw it connected."`
	OS          string       `json:"os,omitempty" example:"linux"`
	Arch        string       `json:"arch,omitempty" example:"amd64"`
	Version     string       `json:"version,omitempty"`
	Workspace   string       `json:"workspace,omitempty" doc:"Folder where sessions start."`
	Confinement string       `json:"confinement,omitempty" doc:"Description of the sandbox of commands, or the reason why there is none."`
	Refused     bool         `json:"refused,omitempty" doc:"It refuses commands, since its machine cannot confine them."`
	LLM         *RunnerModel `json:"llm,omitempty" doc:"The model it can call for its owner."`
	Active      bool         `json:"active" doc:"This user's commands go here now."`
	Revocable   bool         `json:"revocable" doc:"Made by this user, with a token that can be renewed and revoked."`

	Sandbox *RunnerSandbox `json:"sandbox,omitempty" doc:"Whether commands of the server's own runner run in a sandbox. The owner of another runner decides it where that is started."`
}

// Whether commands of a runner run in a sandbox.
const (
	ConfineAuto    = "auto"    // they do; if the machine cannot confine them they are refused
	ConfineRequire = "require" // as auto, and there the runner does not start
	ConfineOff     = "off"     // they run without a sandbox
)

// RunnerSandbox is whether commands of the server's own runner run in a sandbox, and who chose that.
type RunnerSandbox struct {
	Confine   string     `json:"confine" enum:"auto,require,off" doc:"auto: they do; where the machine cannot confine them they are refused. require: as auto, and there the runner does not start. off: they run without a sandbox."`
	Setting   bool       `json:"setting" doc:"The setting XBOT_CONFINE decides, which overrides the administrator's choice."`
	ChangedBy string     `json:"changed_by,omitempty" doc:"Name of the administrator who set it. Empty if unset, or if the account was deleted."`
	ChangedAt *time.Time `json:"changed_at,omitempty"`
}

// RunnerModel is a model that is called from a runner's machine, with a key that stays there.
type RunnerModel struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// Sources of the model that answers a user.
const (
	LLMAuto   = "auto"   // the one of the runner that the user's commands go to, if it offers one; else the server's
	LLMServer = "server" // always the server's
)

// Runners is the runners that a user can choose from, and the user's choices.
type Runners struct {
	Runners   []Runner `json:"runners"`
	Active    string   `json:"active" doc:"The runner that was chosen; empty for the default."`
	Effective string   `json:"effective" doc:"The runner that commands go to now; empty if there is none."`
	LLMSource string   `json:"llm_source" enum:"auto,server" doc:"auto: the model of the effective runner answers if it offers one. server: always the server's."`
	Model     string   `json:"model" doc:"The current model, provider/model."`
}

// NewRunner is a runner with its new token, which is shown only once.
type NewRunner struct {
	Runner  Runner `json:"runner"`
	Token   string `json:"token" doc:"Shown once; only its hash is stored."`
	Command string `json:"command" doc:"The command that starts the runner, on the machine where its commands will run. It reads the token from the file that it names."`
}

// RunnerChoice is the input of the choice of the runner for a user's commands.
type RunnerChoice struct {
	Name  string // the requested one, else the user's active runner; empty: neither
	Known bool   // whether the user made a runner of that name and did not revoke it
	Sole  string // the user's only connected one, else the only one that ever was; empty: none, or several
	Admin bool   // whether the user is an administrator

	// Outside: a service or one of its consumers, which have no runner.
	Outside bool
}
