// Package client answers the server's requests about workers that Temporal starts. This build starts none.
package client

import (
	"context"

	deploymentpb "go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/auto-scaled-workers/wci/workflow/iface"
	"go.temporal.io/server/common/namespace"
	"go.uber.org/fx"
)

// Module provides the client.
var Module = fx.Provide(func() Client { return Client{} })

const notBuiltIn = "this build of Temporal cannot start workers by itself; start them yourself"

// Client knows no controller and makes none.
type Client struct{}

// DescribeWorkerControllerInstance answers NotFound, as for every version that has no controller.
func (Client) DescribeWorkerControllerInstance(context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error) {
	return nil, nil, serviceerror.NewNotFound(notBuiltIn)
}

// ValidateWorkerControllerInstanceSpec refuses each specification.
func (Client) ValidateWorkerControllerInstanceSpec(context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, string, map[string]iface.ScalingGroupSpecUpdate, []string) error {
	return serviceerror.NewInvalidArgument(notBuiltIn)
}

// UpdateWorkerControllerInstance refuses each change.
func (Client) UpdateWorkerControllerInstance(context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, []byte, string, map[string]iface.ScalingGroupSpecUpdate, []string) (*iface.UpdateWorkerControllerInstanceResponse, error) {
	return nil, serviceerror.NewInvalidArgument(notBuiltIn)
}

// DeleteWorkerControllerInstance has nothing to delete.
func (Client) DeleteWorkerControllerInstance(context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, string) error {
	return nil
}
