package container

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func good(t *testing.T) Config {
	t.Helper()
	return Config{
		Engine: "docker", Name: "xbot-1", Image: "debian:12", User: "1000:1000",
		Limits:    Limits{Memory: "2g", CPUs: 2, PIDs: 512, Temp: "512m", Network: "none"},
		Workspace: filepath.Join(t.TempDir(), "work"), State: t.TempDir(), Program: os.Args[0], Idle: time.Minute, Deaf: time.Minute,
	}
}

func TestCheck_RefusesWhatWouldOpenAWayOut(t *testing.T) {
	ok := good(t)
	require.NoError(t, ok.check())
	for what, spoil := range map[string]func(*Config){
		"empty name":            func(c *Config) { c.Name = "" },
		"upper case name":       func(c *Config) { c.Name = "Xbot" },
		"name like a flag":      func(c *Config) { c.Name = "-v" },
		"name with a path":      func(c *Config) { c.Name = "a/../b" },
		"name with a line":      func(c *Config) { c.Name = "a\nb" },
		"name of 129":           func(c *Config) { c.Name = strings.Repeat("a", 129) },
		"no image":              func(c *Config) { c.Image = "" },
		"image like a flag":     func(c *Config) { c.Image = "--privileged" },
		"root":                  func(c *Config) { c.User = "0:0" },
		"group root":            func(c *Config) { c.User = "1000:0" },
		"named user":            func(c *Config) { c.User = "root" },
		"user alone":            func(c *Config) { c.User = "1000" },
		"no memory limit":       func(c *Config) { c.Limits.Memory = "0" },
		"memory without a unit": func(c *Config) { c.Limits.Memory = "-1" },
		"no process limit":      func(c *Config) { c.Limits.PIDs = -1 },
		"no CPU":                func(c *Config) { c.Limits.CPUs = 0 },
		"mount options in /tmp": func(c *Config) { c.Limits.Temp = "1m,suid" },
		"the host's network":    func(c *Config) { c.Limits.Network = "host" },
		"another's network":     func(c *Config) { c.Limits.Network = "container:db" },
		"no idle time":          func(c *Config) { c.Idle = 0 },
		"relative host path":    func(c *Config) { c.HostPaths = map[string]string{"data": "/srv"} },
	} {
		t.Run(what, func(t *testing.T) {
			c := good(t)
			spoil(&c)
			require.Error(t, c.check())
		})
	}
	long := good(t)
	long.Name = strings.Repeat("a", 128)
	require.NoError(t, long.check())
}

func TestOnHost_TranslatesWholeFoldersOnly(t *testing.T) {
	c := Config{HostPaths: map[string]string{"/data": "/srv/xbot", "/data/disk": "/mnt/disk/", "/other/": "/o"}}
	for path, want := range map[string]string{
		"/data":             "/srv/xbot",
		"/data/workspaces":  "/srv/xbot/workspaces",
		"/data2/workspaces": "/data2/workspaces",
		"/data/disk/a":      "/mnt/disk/a",
		"/data/disk2":       "/srv/xbot/disk2",
		"/other/x":          "/o/x",
		"/home":             "/home",
	} {
		require.Equal(t, want, c.onHost(path), path)
	}
	all := Config{HostPaths: map[string]string{"/": "/host"}}
	require.Equal(t, "/host/data", all.onHost("/data"))
}

func TestMount_KeepsOddFoldersWhole(t *testing.T) {
	for _, dir := range []string{"/plain", "/with,comma", `/with"quote`, "/with space", "/target=/etc,readonly=false"} {
		fields, err := csv.NewReader(strings.NewReader(mount(dir, "/workspace", true))).Read()
		require.NoError(t, err)
		require.Equal(t, []string{"type=bind", "source=" + dir, "target=/workspace", "readonly"}, fields)
	}
}

func TestPrepare_AnotherFolderOfTheNameIsAnotherConfiguration(t *testing.T) {
	c := good(t)
	c.User = DefaultUser()
	c.Program = staticProgram(t)
	_, before, err := c.prepare()
	require.NoError(t, err)
	_, again, err := c.prepare()
	require.NoError(t, err)
	require.Equal(t, before, again)
	require.NoError(t, os.Rename(c.Workspace, c.Workspace+".old"))
	_, after, err := c.prepare()
	require.NoError(t, err)
	require.NotEqual(t, before, after)
}

func TestPrepare_LeavesAFolderThatBelongsToSomebodyElse(t *testing.T) {
	c := good(t)
	c.Program = staticProgram(t)
	c.User = "54321:54321"
	require.NoError(t, os.Mkdir(c.Workspace, 0o700))
	_, _, err := c.prepare()
	require.ErrorContains(t, err, "belongs to uid")
}

// staticProgram is the smallest thing that passes as a Linux program: a header without anything behind it.
func staticProgram(t *testing.T) string {
	t.Helper()
	header := make([]byte, 64)
	copy(header, "\x7fELF\x02\x01\x01")
	header[16], header[18], header[20], header[52] = 2, 62, 1, 64 // executable, amd64, version, size of this header
	header[54], header[58] = 56, 64
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, header, 0o600))
	return path
}

func TestInstallProgram_RefusesWhatAnImageCannotExecute(t *testing.T) {
	c := good(t)
	c.Program = filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(c.Program, []byte("#!/bin/sh\n"), 0o600))
	_, err := c.installProgram()
	require.ErrorContains(t, err, "no Linux program")

	c.Program = staticProgram(t)
	path, err := c.installProgram()
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), info.Mode().Perm())
}
