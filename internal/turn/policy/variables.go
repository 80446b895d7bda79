package policy

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
)

// Runners says what runners may be given.
type Runners struct {
	// Secrets are the runners that get the secret variables of agents: local, docker, or OWNER/NAME of a person's or group's own. Absent: local and docker, those of the installation; an empty list: none
	Secrets []string `json:"secrets,omitzero"`
}

// Names of the installation's own runners in the policy.
const (
	runnerLocal  = "local"
	runnerDocker = "docker"
	container    = "__docker__" // what the one of a person is called
)

// HasSecrets reports whether a runner of the installation's own gets secrets; not ok: it is somebody's, and stands in the list or does not.
func (r Runners) HasSecrets(name string) (has, ok bool) {
	switch name {
	case chat.RunnerLocal:
		return r.Secrets == nil || slices.Contains(r.Secrets, runnerLocal), true
	case container:
		return r.Secrets == nil || slices.Contains(r.Secrets, runnerDocker), true
	}
	return false, false
}

func (c *check) runners(r Runners) {
	for i, one := range r.Secrets {
		owner, name, ok := strings.Cut(one, "/")
		if one != runnerLocal && one != runnerDocker && (!ok || owner == "" || name == "" || strings.Contains(name, "/")) {
			c.fault(sprintf("runners.secrets[%d]", i), "write local, docker, or OWNER/NAME as xbot runner list prints them")
		}
	}
}

// commandVariable is the form of a variable of commands.
var commandVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// Variables that decide where programs are, what they load and how the shell reads: who gives a command its environment does not give it
// these. Those that begin with XBOT_ are xbot's own.
var (
	reserved = []string{
		"PATH", "HOME", "SHELL", "USER", "LOGNAME", "TERM", "TMPDIR", "PWD", "OLDPWD", "IFS", "ENV", "CDPATH", "PS4", "SHELLOPTS", "PROMPT_COMMAND",
		"GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH", "HOSTALIASES", "RES_OPTIONS", "NODE_OPTIONS", "NODE_PATH", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME",
		"PERL5OPT", "PERL5LIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "EDITOR", "VISUAL", "PAGER",
	}
	reservedBeginnings = []string{"XBOT_", "LD_", "DYLD_", "BASH", "MALLOC_", "GIT_CONFIG", "GIT_SSH", "GIT_EXEC_PATH", "GIT_ASKPASS", "SSH_ASKPASS"}
)

// CheckVariable says what is wrong with the name of a variable of commands.
func CheckVariable(name string) error {
	upper := strings.ToUpper(name)
	switch {
	case !commandVariable.MatchString(name):
		return errors.New("the name of a variable has letters, digits and underscores, at most 64, and does not begin with a digit")
	case slices.Contains(reserved, upper) || slices.ContainsFunc(reservedBeginnings, func(beginning string) bool { return strings.HasPrefix(upper, beginning) }):
		return errors.New(name + " is not for agents: it says where programs are, what they load, or what xbot tells them")
	}
	return nil
}

// Bounds of the variables of an agent.
const (
	maxVariables = 64
	maxVariable  = 8 << 10 // bytes of a value
)

// secretEndings are those of names whose values are secrets as a rule.
var secretEndings = []string{"TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "PASS", "CREDENTIALS"}

func (c *check) env(path string, env map[string]string) {
	if len(env) > maxVariables {
		c.fault(path, "an agent has at most %d variables", maxVariables)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value, at := env[name], join(path, name)
		if err := CheckVariable(name); err != nil {
			c.fault(at, "%s", err)
		}
		if len(value) > maxVariable || strings.ContainsRune(value, 0) || !utf8.ValidString(value) {
			c.fault(at, "a value is text of at most %d bytes", maxVariable)
		}
		if slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(strings.ToUpper(name), end) }) {
			c.note(at, "everybody who reads the policy reads it: a secret is set with xbot env set")
		}
	}
}
