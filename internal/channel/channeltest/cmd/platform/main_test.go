package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun_SaysWhatToExportForEachPlatform(t *testing.T) {
	for name, want := range map[string]string{"feishu": "export FEISHU_APP_ID=", "qq": "export QQ_APP_ID=", "napcat": "export NAPCAT_URL=ws://127.0.0.1:"} {
		var out strings.Builder
		require.NoError(t, run([]string{name}, strings.NewReader("hello\n@hello\ncut\nagain\n"), &out))
		require.Contains(t, out.String(), want)
	}
	require.ErrorContains(t, run(nil, nil, nil), "feishu, qq or napcat")
}

func TestLook_PrintsWhatIsNewAndWhatWasChanged(t *testing.T) {
	var out strings.Builder
	now := []shown{{id: "1", where: "direct", text: "working"}}
	p, seen := platform{shown: func() []shown { return now }}, map[string]string{}
	p.look(seen, &out)
	p.look(seen, &out)
	now = []shown{{id: "1", where: "direct", text: "done", buttons: []string{"Allow"}}}
	p.look(seen, &out)
	require.Equal(t, "direct > working\ndirect ~ done [Allow]\n", out.String())
}
