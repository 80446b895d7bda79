package activities_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// named is a sandbox of a name.
type named struct {
	sandbox.None
	name string
}

func (n named) Name() string { return n.name }

// owned are the runners of a person: laptop and desk.
type owned struct{}

func (owned) Box(_ context.Context, _ chat.UserID, runner string) (sandbox.Sandbox, error) {
	if runner != "laptop" && runner != "desk" {
		return nil, fault.Errorf(fault.Denied, "there is no runner %s", runner)
	}
	return named{name: runner}, nil
}

// bound is the runner that a scene names.
type bound string

func (b bound) Walls(context.Context, chat.SessionKey) (chat.Walls, string, error) {
	return chat.Walls{Offline: true}, string(b), nil
}

func TestRooms_WorkBeginsOnTheRunnerOfItsSceneAndEndsWhereItBegan(t *testing.T) {
	t.Parallel()
	for scene, want := range map[string]string{"": "laptop", "laptop": "laptop", "desk": "desk"} {
		rooms := activities.Rooms{Boxes: owned{}, Walls: bound(scene)}
		box, err := rooms.Of(t.Context(), "k", 1, "laptop")
		require.NoError(t, err)
		require.Equal(t, want, box.Name(), scene)
		require.Error(t, sandbox.Talks(box), "it has the walls of its scene, too")
		begun, err := rooms.Begun(t.Context(), "k", 1, "laptop")
		require.NoError(t, err)
		require.Equal(t, "laptop", begun.Name(), scene)
	}
	_, err := activities.Rooms{Boxes: owned{}, Walls: bound("box")}.Of(t.Context(), "k", 1, "laptop")
	require.Equal(t, fault.Denied, fault.KindOf(err), "no other runner is taken instead")
	require.ErrorContains(t, err, "runner `box` alone")
}
