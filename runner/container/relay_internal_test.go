package container

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

func TestDescribe_OffersNoModelWhateverTheContainerSays(t *testing.T) {
	r := &relay{cfg: RelayConfig{Config: good(t)}}
	got := r.describe(wire.Info{Workspace: InsideWorkspace, Kind: "native", LLM: &wire.LLM{Provider: "openai", Model: "m"}})
	require.Nil(t, got.LLM, "no container is to answer for a model")
	require.Equal(t, "docker", got.Kind)
	require.Equal(t, InsideWorkspace, got.Workspace)
}
