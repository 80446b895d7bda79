package worker

import (
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Deployment is the name of our workers among Temporal's worker deployments.
const Deployment = "xbot"

// deployment makes a versioned worker one of its build: a run stays with the build that began it, and goes over to the current one
// when it continues as new. Without versions all workers are alike, and a change of a workflow needs GetVersion.
func (b Build) deployment() sdk.DeploymentOptions {
	if !b.Versioned {
		return sdk.DeploymentOptions{}
	}
	return sdk.DeploymentOptions{
		UseVersioning:             true,
		Version:                   sdk.WorkerDeploymentVersion{DeploymentName: Deployment, BuildID: b.Name},
		DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
	}
}
