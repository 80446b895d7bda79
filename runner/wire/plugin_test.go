package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

func TestIsPluginID_IsOneOfAManifest(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "feeds2": true, strings.Repeat("a", 24): true,
		"": false, strings.Repeat("a", 25): false, "2feeds": false, "Feeds": false, "fe-eds": false, "../feeds": false, "fe/eds": false, "feeds\n": false,
	} {
		require.Equal(t, want, wire.IsPluginID(id), "%q", id)
	}
}
