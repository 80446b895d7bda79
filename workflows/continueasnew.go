package workflows

import "go.temporal.io/sdk/workflow"

// continueAsNew ends a run with a new one of the same id. Where workers have versions, a run stays with the one that began it, and
// this is where the next one goes over to the current version: nothing but the input is taken along.
func continueAsNew(ctx workflow.Context, name string, in any) error {
	ctx = workflow.WithWorkflowTaskTimeout(ctx, TaskTimeout) // an older run may have had another
	o := workflow.ContinueAsNewErrorOptions{InitialVersioningBehavior: workflow.ContinueAsNewVersioningBehaviorAutoUpgrade}
	return workflow.NewContinueAsNewErrorWithOptions(ctx, o, name, in)
}
