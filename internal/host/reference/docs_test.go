package reference_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the tree, seen from this package.
const root = "../../.."

// documents are all pages that people read, by their path in the tree.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, path := range append([]string{"README.md", "AGENTS.md", "CHANGELOG.md", "deploy/README.md"}, within(t, "docs", ".md")...) {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		pages[path] = string(text)
	}
	return pages
}

// within lists the files below a folder whose names end so.
func within(t *testing.T, folder, suffix string) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".") && len(e.Name()) > 2) {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, suffix) {
			path, err = filepath.Rel(root, path)
			found = append(found, path)
		}
		return err
	}))
	return found
}

var (
	fence   = regexp.MustCompile("(?ms)^\\s*```.*?^\\s*```")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	linked  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors are the names of a page's headings, as links call them.
func anchors(page string) []string {
	var names []string
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		name := dropped.ReplaceAllString(strings.ToLower(linked.ReplaceAllString(strings.TrimSpace(h[1]), "$1")), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

func TestDocs_EveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	pages := documents(t)
	for path, page := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(fence.ReplaceAllString(page, ""), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			_, err := os.Stat(filepath.Join(root, target))
			require.NoError(t, err, "%s links to %s", path, m[1])
			if other, ok := pages[target]; ok && anchor != "" {
				require.True(t, slices.Contains(anchors(other), anchor), "%s links to %s: there is no such heading", path, m[1])
			}
		}
	}
}

// TestDocs_EveryPageIsReachedFromTheIndex follows links from docs/README.md.
func TestDocs_EveryPageIsReachedFromTheIndex(t *testing.T) {
	t.Parallel()
	pages := documents(t)
	reached, next := map[string]bool{}, []string{"docs/README.md"}
	for len(next) > 0 {
		path := next[0]
		next = next[1:]
		if reached[path] {
			continue
		}
		reached[path] = true
		for _, m := range link.FindAllStringSubmatch(pages[path], -1) {
			file, _, _ := strings.Cut(m[1], "#")
			if target := filepath.Join(filepath.Dir(path), file); pages[target] != "" {
				next = append(next, target)
			}
		}
	}
	for path := range pages {
		require.True(t, reached[path] || path == "README.md", "no link leads from docs/README.md to %s", path)
	}
}

// TestDocs_EveryTestThatIsNamedExists looks for the tests that pages name, also by the beginning of a name: TestCron_*.
func TestDocs_EveryTestThatIsNamedExists(t *testing.T) {
	t.Parallel()
	var sources strings.Builder
	for _, path := range within(t, ".", "_test.go") {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		sources.Write(text)
	}
	known := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)`).FindAllStringSubmatch(sources.String(), -1)
	require.NotEmpty(t, known)
	for path, page := range documents(t) {
		if strings.HasPrefix(path, "docs/decisions/") {
			continue // they say what was, when they were written
		}
		for _, m := range regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)(\\*?)[^`]*`").FindAllStringSubmatch(page, -1) {
			require.True(t, slices.ContainsFunc(known, func(k []string) bool {
				return k[1] == m[1] || strings.HasPrefix(k[1], m[1]) && (m[2] == "*" || strings.HasPrefix(k[1], m[1]+"_"))
			}), "%s names %s%s, and there is no such test", path, m[1], m[2])
		}
	}
}

// TestDocs_EveryMetricIsListed compares the metrics that the code registers with the table of observe.md, both ways.
func TestDocs_EveryMetricIsListed(t *testing.T) {
	t.Parallel()
	var registered []string
	for _, path := range within(t, ".", ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`prometheus\.(?:\w+Opts\{\s*Name:\s*|NewDesc\(\s*)"(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			registered = append(registered, m[1])
		}
	}
	require.NotEmpty(t, registered)
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(xbot_\\w+)").FindAllStringSubmatch(documents(t)["docs/operate/observe.md"], -1) {
		listed = append(listed, m[1])
	}
	require.ElementsMatch(t, registered, listed)
}

// TestDocs_PagesAreShort bounds what a stranger has to read at once. Lists that are looked things up in may be longer.
func TestDocs_PagesAreShort(t *testing.T) {
	t.Parallel()
	pages := documents(t)
	require.LessOrEqual(t, strings.Count(pages["README.md"], "\n"), 150, "lines of README.md")
	for path, page := range pages {
		if !strings.HasPrefix(path, "docs/reference/") && path != "CHANGELOG.md" {
			require.LessOrEqual(t, len(page), 16<<10, path)
		}
	}
}

// TestDocs_PicturesAreSmallAndShown keeps the repository small.
func TestDocs_PicturesAreSmallAndShown(t *testing.T) {
	t.Parallel()
	all := strings.Join(slices.Collect(maps.Values(documents(t))), "\n")
	for _, path := range within(t, "docs/images", "") {
		picture, err := os.Stat(filepath.Join(root, path))
		require.NoError(t, err)
		if !picture.IsDir() {
			require.Less(t, picture.Size(), int64(150_000), path)
			require.Contains(t, all, "images/"+picture.Name()+")", "no page shows it")
		}
	}
}
