package xbot_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a package, a type and a struct may have at most, so that a reader finds their way. What has more is divided by what it is about.
const (
	maxFiles   = 25 // of a package, without tests and generated code
	maxMethods = 60 // exported ones of a type
	maxFields  = 15 // of a struct
	maxFuncs   = 32 // fields of structs that are functions, in the whole product: a part that needs another names it by an interface. This only falls
)

// wide are the structs that may have more fields than others, each with how many and why. None grows.
var wide = map[string]struct {
	fields int
	why    string
}{
	"cmd/xbot.program":                   {30, "configuration: the command line"},
	"internal/config.Serve":              {16, "configuration: the groups of settings"},
	"runner.Config":                      {16, "configuration: what a daemon needs to know"},
	"runner/cli.flags":                   {16, "configuration: the command line"},
	"server.settings":                    {18, "configuration: the settings that a process is made of"},
	"internal/policy.Policy":             {16, "configuration: the policy document"},
	"internal/policy.Channel":            {16, "configuration: a channel in the policy document"},
	"internal/hook.Payload":              {36, "row: what a hook is told, as JSON"},
	"internal/llm/demo.phrases":          {20, "row: the sentences of a language"},
	"internal/channel/onebot/wire.Event": {18, "row: an event of OneBot, as JSON"},
	"internal/chat.ChannelAccount":       {17, "row: an account of a platform, as JSON"},
	"internal/chat.Message":              {20, "row: a message of the transcript"},
	"internal/chat.Scene":                {19, "row: what a prompt is made of"},
	"internal/chat.Subagent":             {16, "row: a subagent, as JSON"},
	"internal/chat.ToolCall":             {19, "row: a call of a tool"},
	"internal/contextview.Context":       {16, "row: what stands in the context of a conversation, as JSON"},
	"internal/store.Inbound":             {16, "row: what a person wrote, as it is accepted"},
	"ingress/api/messages.BridgeMessage": {16, "row: a message of a bridge, as JSON"},
}

// house is the product as it is written: without tests, what serves tests alone, and what is generated.
type house struct {
	files   map[string]int // by package
	methods map[string]int // exported ones, by package.Type
	fields  map[string]int // by package.Struct
	funcs   []string       // package.Struct.field of fields that are functions
}

func readHouse(t *testing.T) *house {
	t.Helper()
	h := &house{files: map[string]int{}, methods: map[string]int{}, fields: map[string]int{}}
	require.NoError(t, filepath.WalkDir(".", func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if at != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "e2e" || strings.HasSuffix(name, "test")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), at, nil, parser.ParseComments)
		if err == nil && !ast.IsGenerated(f) {
			h.read(path.Dir(filepath.ToSlash(at)), f)
		}
		return err
	}))
	require.Greater(t, len(h.files), 100, "the packages were not found")
	return h
}

func (h *house) read(pkg string, f *ast.File) {
	h.files[pkg]++
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil && n.Name.IsExported() {
				h.methods[pkg+"."+receiver(n.Recv.List[0].Type)]++
			}
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok {
				h.readStruct(pkg+"."+n.Name.Name, s)
			}
		}
		return true
	})
}

func (h *house) readStruct(name string, s *ast.StructType) {
	for _, field := range s.Fields.List {
		h.fields[name] += max(1, len(field.Names))
		if _, ok := field.Type.(*ast.FuncType); ok {
			for _, n := range field.Names {
				h.funcs = append(h.funcs, name+"."+n.Name)
			}
		}
	}
}

// receiver names the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return fmt.Sprintf("%T", e)
}

func TestArchitecture_PackagesAreSmall(t *testing.T) {
	for pkg, n := range readHouse(t).files {
		if n > maxFiles {
			t.Errorf("package %s has %d files; more than %d are divided into folders by what they are about", pkg, n, maxFiles)
		}
	}
}

func TestArchitecture_TypesHaveFewMethods(t *testing.T) {
	for name, n := range readHouse(t).methods {
		if n > maxMethods {
			t.Errorf("type %s has %d exported methods; more than %d are divided into types by what they are about", name, n, maxMethods)
		}
	}
}

func TestArchitecture_StructsHaveFewFields(t *testing.T) {
	h := readHouse(t)
	for name, n := range h.fields {
		most := max(maxFields, wide[name].fields)
		if n > most {
			t.Errorf("struct %s has %d fields; it may have %d: divide it, or name it in wide if it is configuration or a row", name, n, most)
		}
	}
	for name, w := range wide {
		if n := h.fields[name]; n < w.fields || n <= maxFields {
			t.Errorf("struct %s has %d fields now; correct wide, which says %d", name, n, w.fields)
		}
	}
}

func TestArchitecture_PartsAreNotWiredByFunctions(t *testing.T) {
	funcs := readHouse(t).funcs
	require.LessOrEqual(t, len(funcs), maxFuncs, "a field that is a function has come: declare a small interface in its place. All of them: %s", strings.Join(funcs, ", "))
	require.Len(t, funcs, maxFuncs, "there are fewer now: let maxFuncs say so")
}
