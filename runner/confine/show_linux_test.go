package confine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfine_ShowsAPartOfWhatIsHiddenAndNoMore(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		code, data, other := filepath.Join(p.hidden, "plugins/code/a"), filepath.Join(p.hidden, "plugins/data/a"), filepath.Join(p.hidden, "plugins/data/b")
		for _, dir := range []string{code, data, other} {
			require.NoError(p.T, os.MkdirAll(dir, 0o700))
			require.NoError(p.T, os.WriteFile(filepath.Join(dir, "file"), []byte("of "+filepath.Base(filepath.Dir(dir))), 0o600))
		}
		policy := p.policy()
		policy.Write, policy.Show = []string{data}, []string{code, data}
		out, err := p.runWith(policy, fmt.Sprintf("cat %s/file && echo more >> %s/file && cat %s/file", code, data, data))
		require.NoError(p.T, err, out)
		require.Equal(p.T, "of codeof datamore\n", out)
		for _, try := range []string{
			"cat " + p.hidden + "/key", "cat " + other + "/file", "echo x >> " + code + "/file", "echo x > " + code + "/more", "echo x > " + p.hidden + "/more",
			"echo x > " + p.hidden + "/plugins/more", "mv " + data + " " + data + ".2", "cat " + data + "/../b/file", "cat " + code + "/../../../key",
		} {
			out, err := p.runWith(policy, try)
			require.Error(p.T, err, "%s\n%s", try, out)
		}
	})
}

func TestConfine_OfflineOpensNoSockets(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		policy := p.policy()
		const try = `exec python3 -c 'import socket,sys; socket.socketpair(); socket.socket(getattr(socket, sys.argv[1]), socket.SOCK_DGRAM); print("open")' `
		for _, family := range []string{"AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"} {
			policy.Offline = true
			out, err := p.runWith(policy, try+family)
			require.Error(p.T, err, out)
			require.Contains(p.T, out, "PermissionError")
			policy.Offline = false
			out, err = p.runWith(policy, try+family)
			require.NoError(p.T, err, out)
		}
	})
}

func TestConfine_OfflineSendsNoDatagramsByPairs(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		policy := p.policy()
		policy.Offline = true
		for _, kind := range []string{"SOCK_STREAM", "SOCK_SEQPACKET", "SOCK_STREAM | socket.SOCK_CLOEXEC"} {
			out, err := p.runWith(policy, "exec python3 -c 'import socket; socket.socketpair(socket.AF_UNIX, socket."+kind+")'")
			require.NoError(p.T, err, out)
		}
		for _, kind := range []string{"SOCK_DGRAM", "SOCK_RAW", "SOCK_DGRAM | socket.SOCK_NONBLOCK"} {
			out, err := p.runWith(policy, "exec python3 -c 'import socket; socket.socketpair(socket.AF_UNIX, socket."+kind+")'")
			require.Error(p.T, err, kind)
			require.Contains(p.T, out, "PermissionError")
		}
	})
}

func TestConfine_WithoutWritableFoldersChangesNothing(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		require.NoError(p.T, os.WriteFile(filepath.Join(p.open, "file"), []byte("kept"), 0o600))
		policy := p.policy()
		policy.Write = nil
		out, err := p.runWith(policy, "cat "+p.open+"/file; echo said > /dev/null; echo piped | cat")
		require.NoError(p.T, err, out)
		require.Equal(p.T, "keptpiped\n", out)
		for _, try := range []string{
			"echo x >> file", "echo x > new", "rm file", "mv file other", "mkdir folder", "ln -s / link", "truncate -s 0 file",
			"echo x > /tmp/xbot-changed", "echo x > /var/tmp/xbot-changed",
		} {
			out, err := p.runWith(policy, try)
			require.Error(p.T, err, "%s\n%s", try, out)
		}
		data, err := os.ReadFile(filepath.Join(p.open, "file"))
		require.NoError(p.T, err)
		require.Equal(p.T, "kept", string(data))
	})
}
