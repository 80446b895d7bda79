package main_test

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/testing/programtest"
)

// maxBinary is what a small binary may weigh, in bytes; with symbols stripped it was 8.1 MB when this was written.
const maxBinary = 12 << 20

// allowed are the modules that xbot-runner may be made of.
var allowed = []string{"xbot", "github.com/alecthomas/kong", "github.com/gorilla/websocket", "golang.org/x/sys", "golang.org/x/net", "golang.org/x/text"}

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
	bin := programtest.Path(t, "xbot-runner")
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
	require.Regexp(t, `^\S+\n$`, string(version)) // which one a release has is checked by scripts/dist
}

// TestRunner_CompilesForOtherSystems checks the types of all packages of xbot-runner with the files of each system. Code
// generation and linking, which take a minute for each system, are left to "make dist".
func TestRunner_CompilesForOtherSystems(t *testing.T) {
	for _, target := range []string{"darwin/amd64", "darwin/arm64", "linux/arm64"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			system, arch, _ := strings.Cut(target, "/")
			require.NoError(t, typeCheck(t, system, arch))
		})
	}
}

// source is a package as "go list -json" prints it.
type source struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Standard   bool
}

// typeCheck checks the packages of xbot-runner for a system, function bodies only of those outside of the standard library.
func typeCheck(t *testing.T, system, arch string) error {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard", ".")
	list.Env = append(list.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	out, err := list.Output()
	require.NoError(t, err)
	files, checked := token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	for listed := json.NewDecoder(bytes.NewReader(out)); listed.More(); { // dependencies first
		var p source
		require.NoError(t, listed.Decode(&p))
		if p.ImportPath == "unsafe" {
			continue
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			parsed = append(parsed, file)
		}
		config := types.Config{
			Importer: known{checked, p.ImportMap}, IgnoreFuncBodies: p.Standard, Sizes: types.SizesFor("gc", arch),
		}
		if checked[p.ImportPath], err = config.Check(p.ImportPath, files, parsed, nil); err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
	}
	return nil
}

// known imports packages that are checked already.
type known struct {
	packages map[string]*types.Package
	paths    map[string]string // what vendored packages of the standard library are called
}

// Import returns a package.
func (k known) Import(path string) (*types.Package, error) {
	if full := k.paths[path]; full != "" {
		path = full
	}
	if p := k.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s among those of xbot-runner", path)
}
