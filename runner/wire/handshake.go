package wire

import (
	"fmt"
	"strings"
)

// Register is the first frame of a runner.
type Register struct {
	Protocol int    `json:"protocol"`
	Token    string `json:"token"`
	Info
}

// Info describes a runner.
type Info struct {
	Name        string `json:"name"`              // as its owner calls it; empty means the one its token belongs to
	Workspace   string `json:"workspace"`         // absolute; what relative paths start from
	Version     string `json:"version"`           // of the program
	OS          string `json:"os"`                // as runtime.GOOS
	Arch        string `json:"arch"`              // as runtime.GOARCH
	Boot        string `json:"boot"`              // changes when the machine restarts
	Store       string `json:"store"`             // id of the job store; changes when a disk is wiped or a container is recreated
	Confinement string `json:"confinement"`       // what confines commands, or "none: <why>"
	Refused     bool   `json:"refused,omitempty"` // commands are refused, since the machine cannot confine them
	Kind        string `json:"kind,omitempty"`    // native or docker
	LLM         *LLM   `json:"llm,omitempty"`     // the model this runner can call for its owner; nil if none
}

// Confined reports whether the runner confines its commands. Programs then cannot build further sandboxes.
func (i Info) Confined() bool {
	return i.Confinement != "" && !strings.HasPrefix(i.Confinement, "none")
}

// LLM is a model that is called from the runner's machine with a key that stays there.
type LLM struct {
	Provider string `json:"provider"` // openai or anthropic: the dialect of its API
	Model    string `json:"model"`
}

// Registered welcomes a runner.
type Registered struct {
	Protocol int    `json:"protocol"`
	Runner   string `json:"runner"`  // the id under which the server knows it
	Version  string `json:"version"` // of the server
}

// Validate checks what a server needs of a register frame before it looks at the token.
func (r Register) Validate(serverVersion string) error {
	switch {
	case r.Protocol != Version:
		return Errorf(Invalid, "%s", Mismatch(r.Protocol, r.Version, serverVersion))
	case r.Token == "":
		return Errorf(Denied, "this runner sent no token: start it with --token-file or XBOT_RUNNER_TOKEN")
	case r.Store == "" || r.Workspace == "":
		return Errorf(Invalid, "this runner did not say its job store and workspace: install the xbot-runner that belongs to server version %s", serverVersion)
	}
	return nil
}

// Mismatch returns the sentence for a runner and a server that speak different versions of the protocol.
func Mismatch(runnerProtocol int, runnerVersion, serverVersion string) string {
	return fmt.Sprintf("xbot-runner %s speaks protocol %d and the server %s speaks protocol %d: install the xbot-runner that belongs to the server",
		orUnknown(runnerVersion), runnerProtocol, orUnknown(serverVersion), Version)
}

func orUnknown(version string) string {
	if version == "" {
		return "(unknown version)"
	}
	return version
}
