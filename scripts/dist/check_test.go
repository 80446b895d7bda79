package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// built is a small program that knows its version.
func built(t *testing.T, flags ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module small\n\ngo 1.26.0\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nimport \"os\"\n\nvar version = \"dev\"\n\nfunc main() { os.Stdout.WriteString(version + \"\\n\") }\n"), 0o600))
	build := exec.Command("go", append([]string{"build", "-o", "small"}, flags...)...)
	build.Dir = dir
	build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	content, err := os.ReadFile(filepath.Join(dir, "small"))
	require.NoError(t, err)
	return content
}

// made is a release of one archive and one Debian package before it is written.
type made struct {
	archive, control, data map[string][]byte
	document               string
}

const target = runtime.GOOS + "_" + runtime.GOARCH

func newMade(t *testing.T, program []byte) *made {
	m := &made{archive: map[string][]byte{}, data: map[string][]byte{}}
	for _, name := range programs {
		m.archive["xbot_1.2.3_"+target+"/"+name] = program
		m.data["./usr/bin/"+name] = program
	}
	for _, name := range []string{"LICENSE", "CHANGELOG.md"} {
		m.archive["xbot_1.2.3_"+target+"/"+name] = []byte("text")
	}
	for _, name := range packaged {
		m.data["./"+name] = []byte("text")
	}
	m.control = map[string][]byte{
		"./control":   []byte("Package: xbot\nVersion: 1.2.3\nArchitecture: " + runtime.GOARCH + "\n"),
		"./conffiles": []byte("/etc/xbot/env\n/etc/xbot/runner.env\n"),
		"./postinst":  []byte("text"),
		"./prerm":     []byte("text"),
		"./postrm":    []byte("text"),
	}
	binary := filepath.Join(t.TempDir(), "xbot")
	require.NoError(t, os.WriteFile(binary, program, 0o600))
	r := release{version: "1.2.3", time: time.Unix(1, 0)}
	doc, err := r.describe(writePage(t), []string{binary})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, encode(&text, doc))
	m.document = text.String()
	return m
}

// write puts the release into a folder, with its checksums.
func (m *made) write(t *testing.T) string {
	dir := t.TempDir()
	deb := "!<arch>\n"
	for _, part := range []struct {
		name    string
		content []byte
	}{{"debian-binary", []byte("2.0\n")}, {"control.tar.gz", packed(t, m.control)}, {"data.tar.gz", packed(t, m.data)}} {
		deb += fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n%s", part.name, 0, 0, 0, "100644", len(part.content), part.content)
		deb += strings.Repeat("\n", len(part.content)%2)
	}
	var list strings.Builder
	for name, content := range map[string][]byte{
		"xbot_1.2.3_" + target + ".tar.gz":      packed(t, m.archive),
		"xbot_1.2.3_" + runtime.GOARCH + ".deb": []byte(deb),
		"xbot_1.2.3.cdx.json":                   []byte(m.document),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
		fmt.Fprintf(&list, "%s  %s\n", digest(content), name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, sums), []byte(list.String()), 0o600))
	return dir
}

func packed(t *testing.T, files map[string][]byte) []byte {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	require.NoError(t, err)
	archive := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}))
		_, err = archive.Write(files[name])
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zip.Close())
	return out.Bytes()
}

func TestCheck_FindsEachBrokenPromise(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the Debian package is of a Linux")
	}
	t.Parallel()
	stamp := "-ldflags=-X main.version=1.2.3"
	good := built(t, "-trimpath", stamp)
	said, err := check(newMade(t, good).write(t), "1.2.3")
	require.NoError(t, err)
	require.Contains(t, said, "1 archives, 1 Debian packages")

	other := built(t, "-trimpath", "-ldflags=-X main.version=1.2.4")
	inArchive, inPackage := "xbot_1.2.3_"+target+"/xbot-cli", "./usr/bin/xbot-cli"
	for want, harm := range map[string]func(*made){
		"xbot-cli is missing":                         func(m *made) { delete(m.archive, inArchive) },
		`it calls itself version "1.2.4"`:             func(m *made) { m.archive[inArchive] = other },
		`built with -trimpath=""`:                     func(m *made) { m.archive[inArchive] = built(t, stamp) },
		"the document does not list pkg:golang/std":   func(m *made) { m.document = strings.ReplaceAll(m.document, "golang/std", "golang/sdt") },
		"does not describe version 1.2.3":             func(m *made) { m.document = strings.ReplaceAll(m.document, "1.2.3", "1.2.2") },
		"usr/bin/xbot-cli is not the program":         func(m *made) { m.data[inPackage] = other },
		"xbot-worker.service is missing":              func(m *made) { delete(m.data, "./usr/lib/systemd/system/xbot-worker.service") },
		"apparmor/xbot-runner is missing":             func(m *made) { delete(m.data, "./usr/share/xbot/apparmor/xbot-runner") },
		"its script postrm is missing":                func(m *made) { delete(m.control, "./postrm") },
		"an upgrade would overwrite /etc/xbot/env":    func(m *made) { m.control["./conffiles"] = []byte("/etc/xbot/runner.env\n") },
		`its control file does not say "Version: 1.2`: func(m *made) { m.control["./control"] = []byte("Package: xbot\nVersion: 1.2.4\n") },
	} {
		t.Run(want, func(t *testing.T) {
			m := newMade(t, good)
			harm(m)
			_, err := check(m.write(t), "1.2.3")
			require.ErrorContains(t, err, want)
		})
	}
}

func TestCheck_ComparesEveryFileWithItsChecksum(t *testing.T) {
	t.Parallel()
	dir := newMade(t, built(t, "-trimpath", "-ldflags=-X main.version=1.2.3")).write(t)
	file := filepath.Join(dir, "xbot_1.2.3.cdx.json")
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(slices.Clone(kept), '\n'), 0o600))
	_, err = checkSums(dir)
	require.ErrorContains(t, err, "xbot_1.2.3.cdx.json has the checksum")
	require.NoError(t, os.Remove(file))
	_, err = checkSums(dir)
	require.ErrorContains(t, err, "lists 3 files, there are 2")
	require.NoError(t, os.WriteFile(file, kept, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more"), nil, 0o600))
	_, err = checkSums(dir)
	require.ErrorContains(t, err, `more has the checksum`)
}
