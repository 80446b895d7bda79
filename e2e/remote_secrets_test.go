package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestRemote_HidesWhatItWasStartedWithAndWhatTheWallsHide(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	k := s.newTalk()
	home := t.TempDir()
	secrets := map[string]string{
		filepath.Join(home, "cli.json"): "login-of-the-terminal", filepath.Join(home, "secret.key"): "key-of-an-installation",
		filepath.Join(t.TempDir(), "llm.key"): "key-of-the-model", fmt.Sprintf("/dev/shm/xbot-e2e-%d", os.Getpid()): "shared-memory-of-others",
	}
	var keyFile string
	for path, secret := range secrets {
		require.NoError(t, os.WriteFile(path, []byte(secret+"\n"), 0o600))
		t.Cleanup(func() { require.NoError(t, os.Remove(path)) })
		if filepath.Base(path) == "llm.key" {
			keyFile = path
		}
	}
	r := k.newRemote("laptop", s.url[len("http://"):], "--llm-provider=openai", "--llm-model=scripted", "--llm-base-url="+s.model.BaseURL(), "--llm-key-file="+keyFile)
	r.process.env = append(r.process.env, "XBOT_HOME="+home)
	r.up()
	tokenFile := r.process.args[slices.Index(r.process.args, "--token-file")+1]
	token, err := os.ReadFile(tokenFile)
	require.NoError(t, err)
	secrets[tokenFile] = string(token[:len(token)-1])
	if _, err := os.Stat("/run"); err == nil && os.Getuid() == 0 {
		file := fmt.Sprintf("/run/xbot-e2e-%d", os.Getpid())
		require.NoError(t, os.WriteFile(file, []byte("root-only\n"), 0o600))
		t.Cleanup(func() { require.NoError(t, os.Remove(file)) })
		secrets[file] = "root-only"
	}
	for path, secret := range secrets {
		id := k.send(k.shell("cat %s; echo status $?", path), `call Read {"path":"`+path+`"}`, `call Grep {"pattern":".","path":"`+filepath.Dir(path)+`"}`, "say tried")
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
		for _, c := range lastCalls(k) {
			require.NotContains(t, c.Result, secret, "%s reads %s", c.Name, path)
		}
	}
}
