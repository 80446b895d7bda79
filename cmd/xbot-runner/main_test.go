package main_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxBinary is what a small binary may weigh, in bytes; with symbols stripped it was 8.1 MB when this was written.
const maxBinary = 12 << 20

// allowed are the modules that xbot-runner may be made of.
var allowed = []string{"xbot", "github.com/alecthomas/kong", "github.com/gorilla/websocket", "golang.org/x/sys", "golang.org/x/net"}

func TestRunner_IsMadeOfFewParts(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{else}}std{{end}} {{.ImportPath}}", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for line := range strings.Lines(string(out)) {
		module, pkg, _ := strings.Cut(strings.TrimSpace(line), " ")
		if module == "std" {
			continue
		}
		require.Contains(t, allowed, module, "%s came in: the runner must stay small", pkg)
		if module == "xbot" {
			require.True(t, strings.HasPrefix(pkg, "xbot/runner") || pkg == "xbot/cmd/xbot-runner", "%s belongs to the server", pkg)
		}
	}
}

func TestRunner_IsASmallStaticBinary(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "xbot-runner")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.version=9.9", "-o", bin, ".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	info, err := os.Stat(bin)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(maxBinary))
	program, err := elf.Open(bin)
	require.NoError(t, err)
	defer program.Close()
	for _, part := range program.Progs {
		require.NotEqual(t, elf.PT_INTERP, part.Type, "it needs a loader: it is not static")
	}
	libraries, err := program.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries)
	version, err := exec.Command(bin, "--version").Output()
	require.NoError(t, err)
	require.Equal(t, "9.9\n", string(version))
}

func TestRunner_BuildsForOtherSystems(t *testing.T) {
	for _, target := range []string{"darwin/arm64", "linux/arm64"} {
		system, arch, _ := strings.Cut(target, "/")
		build := exec.Command("go", "build", "-o", filepath.Join(t.TempDir(), "xbot-runner"), ".")
		build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
		out, err := build.CombinedOutput()
		require.NoError(t, err, "%s: %s", target, out)
	}
}
