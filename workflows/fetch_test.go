package workflows_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/files"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/workflows"
)

// parcel stands in for the activities of Fetch.
type parcel struct {
	mu      sync.Mutex
	gone    int // this file cannot be had
	fetched []int
	ended   int
}

func (p *parcel) Unpack(context.Context, files.FetchInput) (files.UnpackOutput, error) {
	return files.UnpackOutput{Files: []files.UnpackedFile{{N: 1, Name: "[a.txt](https://evil.example)"}, {N: 2, Name: "image"}, {N: 3, Name: "b.txt"}}}, nil
}

func (p *parcel) FetchFile(_ context.Context, in files.FetchInput) (files.FetchOutput, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if in.N == p.gone {
		return files.FetchOutput{}, temporal.NewApplicationError("the platform is away", string(fault.Unavailable))
	}
	p.fetched = append(p.fetched, in.N)
	return files.FetchOutput{State: chat.AttachmentStored}, nil
}

func (p *parcel) EndFetch(context.Context, files.FetchInput) error {
	p.ended++
	return nil
}

func TestFetch_LetsTheMessageGoOnceEachFileIsThereOrCannotBeHad(t *testing.T) {
	p := &parcel{gone: 2}
	var suite testsuite.WorkflowTestSuite
	env := newEnvironment(&suite)
	env.RegisterWorkflowWithOptions(workflows.Fetch, workflow.RegisterOptions{Name: workflows.NameFetch})
	env.RegisterActivityWithOptions(p.Unpack, activity.RegisterOptions{Name: activities.NameUnpack})
	env.RegisterActivityWithOptions(p.FetchFile, activity.RegisterOptions{Name: activities.NameFetchFile})
	env.RegisterActivityWithOptions(p.EndFetch, activity.RegisterOptions{Name: activities.NameEndFetch})
	began := env.Now()
	env.ExecuteWorkflow(workflows.NameFetch, workflows.FetchInput{Inbox: 7})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, "**done** · 3 files\n\n- \\[a.txt\\](https://evil.example) · stored\n- image · not fetched: unavailable\n- b.txt · stored", currentDetails(t, env))
	slices.Sort(p.fetched)
	require.Equal(t, []int{1, 3}, p.fetched)
	require.Equal(t, 1, p.ended)
	require.Less(t, env.Now().Sub(began).Minutes(), 4.0, "what cannot be had is given up before the message would go by itself")
}
