package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// serverFiles returns the files of the servers and runners that run on this machine as this user: data folders, files of settings, of tokens and of
// keys, and what a server has its own runner hide. A root process looks for those of all users, since its commands may read them. What a command
// of a runner started, or looks like a server, counts for nothing.
func serverFiles() []string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []string
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		argv := arguments(pid)
		if !isProgram(pid, argv) || !isOurs(pid) || isBelowShim(pid) {
			continue
		}
		for _, path := range append(filesOfEnvironment(pid), filesOfArguments(pid, argv)...) {
			if _, err := os.Lstat(path); err == nil && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// isProgram reports whether a process runs one of this project's programs.
func isProgram(pid int, argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	exe, _ := os.Readlink(processFile(pid, "exe")) // empty for a process that may not be looked into
	return strings.HasPrefix(filepath.Base(argv[0]), "xbot") || strings.HasPrefix(filepath.Base(exe), "xbot")
}

func isOurs(pid int) bool {
	user, ok := statusField(pid, "Uid")
	return ok && (os.Getuid() == 0 || user == os.Getuid())
}

// isBelowShim reports whether a command started a process. Shims adopt what a command leaves running.
func isBelowShim(pid int) bool {
	for range 1000 { // a parent that ends in the meantime could lead in a circle
		if argv := arguments(pid); len(argv) == 3 && argv[1] == "shim" {
			return true
		}
		above, ok := statusField(pid, "PPid")
		if !ok || above <= 1 {
			return false
		}
		pid = above
	}
	return false
}

// filesOfEnvironment returns the data folder and the file of settings that a process was started with.
func filesOfEnvironment(pid int) []string {
	data, err := os.ReadFile(processFile(pid, "environ"))
	if err != nil {
		return nil
	}
	env := map[string]string{}
	for pair := range strings.SplitSeq(string(data), "\x00") {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	home := env["XBOT_HOME"]
	if home == "" && env["HOME"] != "" {
		home = filepath.Join(env["HOME"], ".xbot")
	}
	return absolute(pid, home, env["XBOT_ENV_FILE"])
}

// Flags whose values are files: of every process, and of a runner that a server started.
var (
	fileFlags = []string{"--env-file", "--state", "--token-file", "--llm-key-file"}
	hideFlags = []string{"--deny"}
)

// filesOfArguments returns those that the flags of a process name.
func filesOfArguments(pid int, argv []string) []string {
	flags := fileFlags
	if slices.ContainsFunc(argv, func(arg string) bool { return strings.HasPrefix(arg, "--lifeline-fd") }) {
		flags = slices.Concat(fileFlags, hideFlags)
	}
	var out []string
	for i, arg := range argv {
		name, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(argv) {
			value = argv[i+1]
		}
		if slices.Contains(flags, name) {
			out = append(out, value)
		}
	}
	return absolute(pid, out...)
}

// absolute makes paths of a process absolute, and leaves out empty ones and those whose folder is not known.
func absolute(pid int, paths ...string) []string {
	var out []string
	for _, path := range paths {
		if path != "" && !filepath.IsAbs(path) {
			cwd, err := os.Readlink(processFile(pid, "cwd"))
			if err != nil {
				continue
			}
			path = filepath.Join(cwd, path)
		}
		if path != "" {
			out = append(out, filepath.Clean(path))
		}
	}
	return out
}

func processFile(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

func arguments(pid int) []string {
	data, err := os.ReadFile(processFile(pid, "cmdline"))
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// statusField returns the first number of a line of a process's status.
func statusField(pid int, name string) (int, bool) {
	data, err := os.ReadFile(processFile(pid, "status"))
	if err != nil {
		return 0, false
	}
	_, rest, _ := bytes.Cut(data, []byte("\n"+name+":"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0, false
	}
	n, err := strconv.Atoi(string(fields[0]))
	return n, err == nil
}
