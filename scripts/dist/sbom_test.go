package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

const page = `{"bomFormat": "CycloneDX", "specVersion": "1.5", "metadata": {"component": {"bom-ref": "xbot-web@0.0.0", "type": "library", "name": "web"}},
"components": [{"bom-ref": "react@19.3.1", "type": "library", "name": "react", "version": "19.3.1", "purl": "pkg:npm/react@19.3.1"}],
"dependencies": [{"ref": "xbot-web@0.0.0", "dependsOn": ["react@19.3.1"]}, {"ref": "react@19.3.1", "dependsOn": []}]}`

func writePage(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "page.json")
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	return file
}

// described is the document of one program, which is this test.
func described(t *testing.T, binary string) *cyclonedx.BOM {
	t.Helper()
	r := release{version: "1.2.3", commit: "c0ffee", time: time.Unix(1, 0)}
	doc, err := r.describe(writePage(t), []string{binary})
	require.NoError(t, err)
	return doc
}

func TestSBOM_ListsTheModulesOfEachProgramAndThePackagesOfThePage(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	binary := filepath.Join(t.TempDir(), "xbot")
	require.NoError(t, os.Symlink(self, binary))
	info, err := buildinfo.ReadFile(binary)
	require.NoError(t, err)
	require.NotEmpty(t, info.Deps, "a test without modules would show nothing")

	doc := described(t, binary)
	listed, used := map[string]bool{}, map[string]bool{}
	for _, part := range *doc.Components {
		listed[part.BOMRef] = true
	}
	for _, d := range *doc.Dependencies {
		for _, ref := range *d.Dependencies {
			used[d.Ref+" "+ref] = true
			require.True(t, listed[ref], ref)
		}
	}
	for _, m := range info.Deps {
		require.True(t, used["xbot pkg:golang/"+m.Path+"@"+m.Version], m.Path)
	}
	for _, edge := range []string{"release xbot", "xbot xbot-web@0.0.0", "xbot-web@0.0.0 react@19.3.1"} {
		require.True(t, used[edge], edge)
	}

	var one, two bytes.Buffer
	require.NoError(t, encode(&one, doc))
	require.NoError(t, encode(&two, described(t, binary)))
	require.Equal(t, one.String(), two.String(), "the same binaries have the same document")
}

func TestSBOM_NamesWhatIsBuiltInPlaceOfAModule(t *testing.T) {
	t.Parallel()
	found := modulesOf(&debug.BuildInfo{GoVersion: "go1.26.8", Deps: []*debug.Module{
		{Path: "a.org/fork", Version: "v1.0.0", Replace: &debug.Module{Path: "b.org/fork", Version: "v1.0.1+incompatible"}},
		{Path: "a.org/left", Version: "v1.0.0", Replace: &debug.Module{Path: "./without/left", Version: "(devel)"}},
	}})
	require.Len(t, found, 3)
	require.Equal(t, "pkg:golang/std@1.26.8", found[0].PackageURL)
	require.Equal(t, "pkg:golang/b.org/fork@v1.0.1%2Bincompatible", found[1].PackageURL)
	require.Equal(t, "pkg:golang/a.org/left@0.0.0", found[2].PackageURL)
	require.Contains(t, found[2].Description, "./without/left")
}

func TestSBOM_RefusesAPageThatIsMadeOfNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"bomFormat": "CycloneDX", "specVersion": "1.5"}`), 0o600))
	_, err := release{}.describe(file, nil)
	require.ErrorContains(t, err, "does not say what the page is made of")
}
