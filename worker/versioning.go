package worker

import (
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Deployment is the name of our workers among Temporal's worker deployments.
const Deployment = "xbot"

// versioned makes a worker one of a build: a run stays with the build that began it, and goes over to the current one when
// it continues as new. Without a build all workers are alike, and a change of a workflow needs GetVersion.
func versioned(build string) sdk.DeploymentOptions {
	if build == "" {
		return sdk.DeploymentOptions{}
	}
	return sdk.DeploymentOptions{
		UseVersioning:             true,
		Version:                   sdk.WorkerDeploymentVersion{DeploymentName: Deployment, BuildID: build},
		DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
	}
}
