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

func (b bound) Confinement(context.Context, chat.SessionKey) (chat.Confinement, string, error) {
	return chat.Confinement{Offline: true}, string(b), nil
}

func TestRooms_WorkBeginsOnTheRunnerOfItsSceneAndEndsWhereItBegan(t *testing.T) {
	t.Parallel()
	for scene, want := range map[string]string{"": "laptop", "laptop": "laptop", "desk": "desk"} {
		rooms := activities.Sandboxes{RunnerSandboxes: owned{}, Confinements: bound(scene)}
		box, err := rooms.ForNewWork(t.Context(), "k", 1, "laptop")
		require.NoError(t, err)
		require.Equal(t, want, box.Name(), scene)
		require.Error(t, sandbox.Talks(box), "it has the walls of its scene, too")
		begun, err := rooms.ForStartedWork(t.Context(), "k", 1, "laptop")
		require.NoError(t, err)
		require.Equal(t, "laptop", begun.Name(), scene)
	}
	_, err := activities.Sandboxes{RunnerSandboxes: owned{}, Confinements: bound("box")}.ForNewWork(t.Context(), "k", 1, "laptop")
	require.Equal(t, fault.Denied, fault.KindOf(err), "no other runner is taken instead")
	require.ErrorContains(t, err, "runner `box` alone")
}

// visitors have a room in one conversation, and in another one they have it no more.
type visitors struct{}

func (visitors) FileSystem(_ context.Context, key chat.SessionKey, _ chat.UserID) (sandbox.Sandbox, bool, error) {
	switch key {
	case "theirs":
		return named{name: "room"}, true, nil
	case "gone":
		return nil, true, fault.Errorf(fault.Denied, "gone")
	}
	return nil, false, nil
}

func TestRooms_AConsumerIsInTheirRoomAndOnNoRunner(t *testing.T) {
	t.Parallel()
	rooms := activities.Sandboxes{RunnerSandboxes: owned{}, Consumers: visitors{}, Confinements: bound("laptop")}
	for _, find := range []func(context.Context, chat.SessionKey, chat.UserID, string) (sandbox.Sandbox, error){rooms.ForNewWork, rooms.ForStartedWork} {
		box, err := find(t.Context(), "theirs", 1, "laptop")
		require.NoError(t, err)
		require.Equal(t, "room", box.Name())
		_, err = find(t.Context(), "gone", 1, "laptop")
		require.Equal(t, fault.Denied, fault.KindOf(err), "never a runner instead")
		box, err = find(t.Context(), "k", 1, "laptop")
		require.NoError(t, err)
		require.Equal(t, "laptop", box.Name())
	}
}
