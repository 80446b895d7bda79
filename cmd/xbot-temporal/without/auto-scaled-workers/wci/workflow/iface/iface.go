// Package iface declares how the server describes workers that Temporal starts. This build starts none.
package iface

import (
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
)

type (
	// ComputeProviderType names where workers would run.
	ComputeProviderType string
	// ScalingAlgorithmType names what decides how many run.
	ScalingAlgorithmType string
	// ValidationResult reports whether a specification was accepted.
	ValidationResult string
)

// ValidationResultFailed marks a specification that was refused.
const ValidationResultFailed ValidationResult = "failed"

// ComputeProviderSpec is one place where workers would run.
type ComputeProviderSpec struct {
	ProviderType  ComputeProviderType
	Config        *commonpb.Payload
	NexusEndpoint string
}

// ScalingAlgorithmSpec is one way to decide how many run.
type ScalingAlgorithmSpec struct {
	ScalingAlgorithm ScalingAlgorithmType
	Config           *commonpb.Payload
}

// ScalingGroupSpec describes where workers of some task types run, and how many.
type ScalingGroupSpec struct {
	TaskTypes []enumspb.TaskQueueType
	Compute   ComputeProviderSpec
	Scaling   *ScalingAlgorithmSpec
}

// ScalingGroupSpecUpdate changes the named fields of a group.
type ScalingGroupSpecUpdate struct {
	Spec       ScalingGroupSpec
	UpdateMask []string
}

// WorkerControllerInstanceSpec has the groups of one version of workers.
type WorkerControllerInstanceSpec struct {
	ScalingGroupSpecs map[string]ScalingGroupSpec
}

// ValidationStatus is the outcome of the last check of a specification. A signal carries it, so its names are those of the
// module that this one replaces.
type ValidationStatus struct {
	LastValidationTime time.Time        `json:"last_validation_time"`
	Status             ValidationResult `json:"status"`
	ErrMessage         string           `json:"err_message,omitempty"`
}

// QueryDescribeWorkerControllerInstanceResponse describes a controller.
type QueryDescribeWorkerControllerInstanceResponse struct {
	Spec             *WorkerControllerInstanceSpec
	ValidationStatus *ValidationStatus
}

// UpdateWorkerControllerInstanceResponse is a controller's specification after a change.
type UpdateWorkerControllerInstanceResponse struct {
	Spec *WorkerControllerInstanceSpec
}
