package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// defaultPath serves a daemon that was started without one.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// passed are the variables that commands get from the daemon's environment; LC_* come on top. All others stay out:
// they may hold the daemon's secrets.
var passed = []string{"PATH", "HOME", "LANG", "TMPDIR", "USER", "LOGNAME", "SHELL", "TZ"}

// commandEnv returns the clean environment that every command starts from.
func commandEnv() []string {
	env := []string{"TERM=dumb"}
	hasPath := false
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok && value != "" {
			env = append(env, name+"="+value)
			hasPath = hasPath || name == "PATH"
		}
	}
	if !hasPath {
		env = append(env, "PATH="+defaultPath)
	}
	for _, pair := range os.Environ() {
		if strings.HasPrefix(pair, "LC_") {
			env = append(env, pair)
		}
	}
	return env
}

// caches are variables for the caches of programs, in the workspace, where commands cannot write those in the home folder.
func caches(workspace, home string, writable []string) []string {
	cache := filepath.Join(home, ".cache")
	inside := func(dir string) bool {
		rel, err := filepath.Rel(dir, cache)
		return err == nil && filepath.IsLocal(rel)
	}
	if home != "" && slices.ContainsFunc(writable, inside) {
		return nil
	}
	at := filepath.Join(workspace, ".cache")
	return []string{
		"XDG_CACHE_HOME=" + at, "GOPATH=" + filepath.Join(at, "go"), "npm_config_cache=" + filepath.Join(at, "npm"), "CARGO_HOME=" + filepath.Join(at, "cargo"),
	}
}

// withEnv adds variables; a later value of a name replaces an earlier one, so that no program has to choose.
func withEnv(base, added []string) []string {
	env := slices.Clone(base)
	for _, pair := range added {
		name, _, _ := strings.Cut(pair, "=")
		env = slices.DeleteFunc(env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		env = append(env, pair)
	}
	return env
}
