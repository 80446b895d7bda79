package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"xbot/activities/deletion"
	"xbot/workflows"
)

// historiesAtOnce is how many histories one call deletes.
const historiesAtOnce = 100

// Histories are what Temporal keeps of runs.
type Histories struct {
	Namespace string
	Client    client.Client
}

var _ deletion.Histories = Histories{}

// Delete deletes histories of a user's runs, some at a time, and returns how many it found. A run that is still open is ended. If the namespace does
// not know whose runs are whose, it finds none: those go when Temporal's retention is over.
func (h Histories) Delete(ctx context.Context, user string) (int, error) {
	found, page := 0, []byte(nil)
	for {
		list, err := h.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: runsOf(user), PageSize: historiesAtOnce, NextPageToken: page})
		if _, unknown := errors.AsType[*serviceerror.InvalidArgument](err); unknown {
			return 0, nil
		}
		if err != nil {
			return 0, fmt.Errorf("list the runs of a person: %w", err)
		}
		for _, run := range list.GetExecutions() {
			if name := ""; converter.GetDefaultDataConverter().FromPayload(run.GetSearchAttributes().GetIndexedFields()[workflows.AttrUser.GetName()], &name) != nil || name != user {
				continue
			}
			found++
			if err := h.delete(ctx, run.GetExecution()); err != nil {
				return 0, err
			}
		}
		if page = list.GetNextPageToken(); len(page) == 0 || found > 0 {
			return found, nil
		}
	}
}

// delete deletes the history of a run, if it is there.
func (h Histories) delete(ctx context.Context, run *common.WorkflowExecution) error {
	_, err := h.Client.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{Namespace: h.Namespace, WorkflowExecution: run})
	if _, gone := errors.AsType[*serviceerror.NotFound](err); err != nil && !gone {
		return fmt.Errorf("delete the history of %s: %w", run.GetWorkflowId(), err)
	}
	return nil
}

// runsOf returns the query for the runs of a user. Temporal's visibility takes no escapes in texts: of a name that needs some it is asked for
// the beginning, and finds those of others, too.
func runsOf(user string) string {
	attr := workflows.AttrUser.GetName()
	switch i := strings.IndexAny(user, `'"\%_`); {
	case i < 0:
		return attr + " = '" + user + "'"
	case i == 0:
		return attr + " IS NOT NULL"
	default:
		return attr + " STARTS_WITH '" + user[:i] + "'"
	}
}
