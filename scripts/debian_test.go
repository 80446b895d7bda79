package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// apparmorProfile is the one of the Debian package.
const apparmorProfile = "../deploy/apparmor/xbot-runner"

// debian returns a machine on which the files of the package lie in a folder, and the profile is where AppArmor reads it.
func debian(t *testing.T) (m *machine, profile string) {
	t.Helper()
	m = newMachine(t)
	for _, name := range []string{"install", "rmdir"} {
		path, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(m.dir, name)))
	}
	m.program("getent", "")
	m.program("aa-enabled", "")
	m.env = append(m.env, "DPKG_ROOT="+m.dir)
	for _, dir := range []string{"var/lib/xbot", "var/lib/xbot-work", "var/lib/xbot-runner", "var/lib/xbot-runner-work", "usr/share/xbot/apparmor", "etc/apparmor.d/disable"} {
		require.NoError(t, os.MkdirAll(filepath.Join(m.dir, dir), 0o755))
	}
	text, err := os.ReadFile(apparmorProfile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "usr/share/xbot/apparmor/xbot-runner"), text, 0o644))
	return m, filepath.Join(m.dir, "etc/apparmor.d/xbot-runner")
}

// parser is an apparmor_parser that notes how it was called, and reads no profile of a version that it does not know.
func (m *machine) parser(reads bool) {
	end := "exit 1"
	if reads {
		end = "exit 0"
	}
	m.program("apparmor_parser", `echo "$1" >>"${0%/*}/parsed"; `+end)
}

// parsed returns with which first options the parser was called.
func (m *machine) parsed() []string {
	text, err := os.ReadFile(filepath.Join(m.dir, "parsed"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

// script runs a script of the package, which must not fail.
func (m *machine) script(name string, args ...string) {
	m.t.Helper()
	out, err := m.command("../deploy/debian/"+name, args...).CombinedOutput()
	require.NoError(m.t, err, string(out))
}

func TestDebian_TheProfileIsInstalledWhereAppArmorReadsIt(t *testing.T) {
	for name, c := range map[string]struct {
		machine   func(m *machine)
		installed bool
		parsed    []string
	}{
		"AppArmor 4":       {func(m *machine) { m.parser(true) }, true, []string{"--skip-kernel-load", "--replace"}},
		"AppArmor 3":       {func(m *machine) { m.parser(false) }, false, []string{"--skip-kernel-load"}},
		"no AppArmor":      {func(*machine) {}, false, nil},
		"AppArmor is off":  {func(m *machine) { m.parser(true); m.program("aa-enabled", "exit 1") }, true, []string{"--skip-kernel-load"}},
		"no folder for it": {func(m *machine) { m.parser(true); require.NoError(m.t, os.RemoveAll(filepath.Join(m.dir, "etc"))) }, false, nil},
		"disabled by its file": {func(m *machine) {
			m.parser(true)
			require.NoError(m.t, os.WriteFile(filepath.Join(m.dir, "etc/apparmor.d/disable/xbot-runner"), nil, 0o644))
		}, true, []string{"--skip-kernel-load"}},
		"the kernel refuses it": {func(m *machine) {
			m.program("apparmor_parser", `echo "$1" >>"${0%/*}/parsed"; [ "$1" = --skip-kernel-load ]`)
		}, true, []string{"--skip-kernel-load", "--replace"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, profile := debian(t)
			c.machine(m)
			m.script("postinst", "configure", "")
			if c.installed {
				require.FileExists(t, profile)
			} else {
				require.NoFileExists(t, profile)
			}
			require.Equal(t, c.parsed, m.parsed())
		})
	}
}

func TestDebian_TheProfileGoesWithThePackageAndStaysOverAnUpgrade(t *testing.T) {
	for _, c := range []struct {
		action string
		stays  bool
	}{{"upgrade", true}, {"remove", false}, {"purge", false}} {
		m, profile := debian(t)
		m.parser(true)
		m.script("postinst", "configure", "")
		m.script("postrm", c.action)
		_, err := os.Stat(profile)
		require.Equal(t, c.stays, err == nil, c.action)
		require.Equal(t, !c.stays, m.parsed()[len(m.parsed())-1] == "--remove", c.action)
	}
	m, profile := debian(t)
	m.parser(true)
	m.script("postinst", "configure", "")
	m.parser(false)
	m.script("postinst", "configure", "0.1.0")
	require.NoFileExists(t, profile, "an AppArmor that cannot read it finds none at the next boot")
}

// TestDebian_TheProfileIsOneForAppArmor has the parser of this machine read the profile. AppArmor 3 reads it without its rule on user
// namespaces, and postinst leaves it out.
func TestDebian_TheProfileIsOneForAppArmor(t *testing.T) {
	parser, err := exec.LookPath("apparmor_parser")
	if err != nil {
		t.Skip("apparmor_parser is not installed (Debian: apt install apparmor)")
	}
	read := func(path string) (string, error) {
		out, err := exec.CommandContext(t.Context(), parser, "--skip-kernel-load", "--skip-cache", path).CombinedOutput()
		return string(out), err
	}
	_, err = os.Stat("/etc/apparmor.d/abi/4.0")
	if err == nil {
		out, err := read(apparmorProfile)
		require.NoError(t, err, out)
		return
	}
	text, err := os.ReadFile(apparmorProfile)
	require.NoError(t, err)
	older := strings.NewReplacer("abi <abi/4.0>,", "abi <abi/3.0>,", "  userns,\n", "").Replace(string(text))
	require.Len(t, older, len(text)-len("  userns,\n"))
	path := filepath.Join(t.TempDir(), "xbot-runner")
	require.NoError(t, os.WriteFile(path, []byte(older), 0o644))
	out, err := read(path)
	require.NoError(t, err, out)

	m, profile := debian(t)
	require.NoError(t, os.Symlink(parser, filepath.Join(m.dir, "apparmor_parser")))
	m.script("postinst", "configure", "")
	require.NoFileExists(t, profile)
}

// TestDebian_TheProfileIsForTheProgramThatMakesNamespaces compares where the package and the documents install the runner.
func TestDebian_TheProfileIsForTheProgramThatMakesNamespaces(t *testing.T) {
	text, err := os.ReadFile(apparmorProfile)
	require.NoError(t, err)
	require.Contains(t, string(text), "\nprofile xbot-runner /usr/{,local/}bin/xbot-runner flags=(unconfined) {\n  userns,\n")
	recipe, err := os.ReadFile("../deploy/debian/nfpm.yaml")
	require.NoError(t, err)
	require.Contains(t, string(recipe), "dst: /usr/bin/xbot-runner,")
	require.Contains(t, string(recipe), "src: deploy/apparmor/xbot-runner, dst: /usr/share/xbot/apparmor/xbot-runner,")
	for key, script := range map[string]string{"postinstall": "postinst", "postremove": "postrm"} {
		require.Contains(t, string(recipe), key+": deploy/debian/"+script+"\n")
	}
}
