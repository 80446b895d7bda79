package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/log/tag"
	"go.temporal.io/server/service/history/shard"
)

func TestLogger_AShardThatIsStillTakenOverIsNoError(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	l := newLogger(&out, slog.LevelWarn)
	l.Error("Queue reader unable to retrieve tasks", tag.ShardID(2), tag.Error(shard.ErrShardStatusUnknown))
	require.Empty(t, out.String())

	l.Error("Queue reader unable to retrieve tasks", tag.ShardID(2), tag.Error(errors.New("the disk is full")))
	require.Contains(t, out.String(), "the disk is full")
}
