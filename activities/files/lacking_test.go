package files_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// nowhere is a message with a file of somebody who has no runner.
func nowhere(t *testing.T) (*activitiestest.ProjectFolder, *fakeStore) {
	t.Helper()
	b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k1", Name: "a.pdf"})
	b.BoxErr = fault.Errorf(fault.Denied, "there is no runner for your commands yet")
	p.p.Label = "The `Team`"
	return b, p
}

func TestEndFetch_WhoHasNoRunnerIsToldThatTheirFilesWereNotFetched(t *testing.T) {
	b, p := nowhere(t)
	require.NoError(t, ends(b, p))
	require.Len(t, p.told, 1)
	require.Contains(t, p.told[0], "5: files 7: ⚠️ What you sent was not fetched")
	require.Equal(t, 1, p.ended)
}

func TestEndFetch_OfAGroupWithoutARunnerAnAdministratorIsTold(t *testing.T) {
	b, p := nowhere(t)
	p.p.To.ChatType, p.p.To.Chat = chat.ChatGroup, "oc_1"
	require.NoError(t, ends(b, p))
	require.Len(t, p.told, 1)
	require.Contains(t, p.told[0], "administrator: group oc_1: People write to me in the group `` The `Team` `` (napcat) now. It has no runner")
}

func TestEndFetch_NobodyIsToldWhereFilesCameOrFailedForAnotherReason(t *testing.T) {
	for name, change := range map[string]func(*activitiestest.ProjectFolder, *fakeStore){
		"they came":         func(_ *activitiestest.ProjectFolder, p *fakeStore) { p.p.Files[0].State = chat.AttachmentStored },
		"there is a runner": func(b *activitiestest.ProjectFolder, _ *fakeStore) { b.BoxErr = nil },
		"nobody knows": func(b *activitiestest.ProjectFolder, _ *fakeStore) {
			b.BoxErr = fault.Errorf(fault.Unavailable, "the database is away")
		},
		"the message waits no longer":  func(_ *activitiestest.ProjectFolder, p *fakeStore) { p.p.Waits = false },
		"a command says it itself":     func(_ *activitiestest.ProjectFolder, p *fakeStore) { p.p.Command = true },
		"they were chosen on the page": func(_ *activitiestest.ProjectFolder, p *fakeStore) { p.p.To = chat.Address{} },
	} {
		b, p := nowhere(t)
		change(b, p)
		require.NoError(t, ends(b, p), name)
		require.Empty(t, p.told, name)
		require.Equal(t, 1, p.ended, name)
	}
}

func TestEndFetch_TheMessageWaitsUntilItIsSaid(t *testing.T) {
	b, p := nowhere(t)
	p.mute = fault.Errorf(fault.Unavailable, "the database is away")
	require.Error(t, ends(b, p))
	require.Zero(t, p.ended, "the next attempt says it")
}
