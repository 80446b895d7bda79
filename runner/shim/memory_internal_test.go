package shim

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOOMKills_AreThoseOfTheOwnMemoryGroup(t *testing.T) {
	const v1 = "12:pids:/docker/c1\n4:memory:/docker/c1\n0::/\n"
	for name, c := range map[string]struct {
		groups string
		files  map[string]string
		want   int
	}{
		"a container of version 2":          {"0::/\n", map[string]string{"sys/fs/cgroup/memory.events": "low 0\noom 5\noom_kill 3\noom_group_kill 0\n"}, 3},
		"a service of version 2":            {"0::/system.slice/xbot.service\n", map[string]string{"sys/fs/cgroup/system.slice/xbot.service/memory.events": "oom_kill 2\n"}, 2},
		"a container of version 1":          {v1, map[string]string{"sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n"}, 7},
		"the machine of version 1":          {v1, map[string]string{"sys/fs/cgroup/memory/docker/c1/memory.oom_control": "oom_kill 4\n", "sys/fs/cgroup/memory/memory.oom_control": "oom_kill 9\n"}, 4},
		"version 1 before it counted":       {v1, map[string]string{"sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"}, 0},
		"both versions, memory in 1":        {v1, map[string]string{"sys/fs/cgroup/memory/memory.oom_control": "oom_kill 1\n", "sys/fs/cgroup/memory.events": "oom_kill 8\n"}, 1},
		"the root group, which has no file": {"0::/\n", nil, 0},
		"a count that is no number":         {"0::/\n", map[string]string{"sys/fs/cgroup/memory.events": "oom_kill many\n"}, 0},
		"lines that say nothing":            {"\n:\n0\n", nil, 0},
		"no proc":                           {"", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			files := map[string]string{"proc/self/cgroup": c.groups}
			if c.groups == "" {
				delete(files, "proc/self/cgroup")
			}
			maps.Copy(files, c.files)
			for file, text := range files {
				require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o644))
			}
			require.Equal(t, c.want, oomKills(root))
		})
	}
}
