package worker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	// lookAtOnce is how many runs are described at the same time.
	lookAtOnce = 8
	// lookAt bounds how many runs are looked at, the newest first.
	lookAt = 1000
)

// Predecessor is the worker that ran before the present one, where only one of its kind runs at a time: for example the worker
// of a server that was killed. It does not run any more.
type Predecessor struct {
	// Namespace is where it worked.
	Namespace string
	// Kind begins the identities of both.
	Kind string
	// Successor is the identity of the worker that is there now.
	Successor string
}

// GiveUp ends the activity attempts that the predecessor had begun, and returns how many there were: the next attempts begin at
// once, instead of after missed heartbeats. No worker may poll in the meantime. Activities with a single attempt keep their timeout,
// and so do cancelled ones: their workflow decides about them.
func (p Predecessor) GiveUp(ctx context.Context, c client.Client) (int, error) {
	runs, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "ExecutionStatus = 'Running'", PageSize: lookAt})
	if err != nil {
		return 0, fmt.Errorf("list the runs: %w", err)
	}
	found := make([]int, len(runs.GetExecutions()))
	var g errgroup.Group // without a context: if one fails, such as for a run that an operator has just ended, the others continue
	g.SetLimit(lookAtOnce)
	for i, run := range runs.GetExecutions() {
		g.Go(func() error {
			var err error
			found[i], err = p.giveUp(ctx, c, run.GetExecution())
			return err
		})
	}
	err = g.Wait()
	n := 0
	for _, of := range found {
		n += of
	}
	return n, err
}

func (p Predecessor) giveUp(ctx context.Context, c client.Client, run *common.WorkflowExecution) (int, error) {
	seen, err := c.DescribeWorkflowExecution(ctx, run.GetWorkflowId(), run.GetRunId())
	if err != nil {
		return 0, fmt.Errorf("look at %s: %w", run.GetWorkflowId(), err)
	}
	n := 0
	for _, a := range seen.GetPendingActivities() {
		if !p.left(a) {
			continue
		}
		_, err := c.WorkflowService().RespondActivityTaskFailedById(ctx, &workflowservice.RespondActivityTaskFailedByIdRequest{
			Namespace: p.Namespace, WorkflowId: run.GetWorkflowId(), RunId: run.GetRunId(), ActivityId: a.GetActivityId(),
			Failure: gone(),
		})
		if err != nil {
			return n, fmt.Errorf("give up an activity of %s: %w", run.GetWorkflowId(), err)
		}
		n++
	}
	if n == 0 {
		return 0, nil
	}
	// Nor does the next workflow task wait for the worker that has the run in its cache.
	_, err = c.WorkflowService().ResetStickyTaskQueue(ctx, &workflowservice.ResetStickyTaskQueueRequest{Namespace: p.Namespace, Execution: run})
	if err != nil {
		return n, fmt.Errorf("free %s of its worker: %w", run.GetWorkflowId(), err)
	}
	return n, nil
}

// left reports whether the predecessor left an activity, and another attempt may begin.
func (p Predecessor) left(a *workflow.PendingActivityInfo) bool {
	return a.GetState() == enums.PENDING_ACTIVITY_STATE_STARTED && a.GetMaximumAttempts() != 1 && p.had(a.GetLastWorkerIdentity())
}

// had reports whether an identity is the predecessor's.
func (p Predecessor) had(identity string) bool {
	return identity != p.Successor && strings.HasPrefix(identity, p.Kind)
}

// gone returns the failure of an attempt whose worker is gone.
func gone() *failure.Failure {
	return &failure.Failure{
		Message: "the server that ran it has ended",
		FailureInfo: &failure.Failure_ApplicationFailureInfo{ApplicationFailureInfo: &failure.ApplicationFailureInfo{
			Type: "WorkerGone", NextRetryDelay: durationpb.New(time.Millisecond), // no delay would be that of the retry policy
		}},
	}
}
