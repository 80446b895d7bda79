package workflows_test

import (
	"time"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
)

// deadlockTime is how long workflow code of a test may go without yielding. The SDK's second is too short for a machine whose cores compile
// and run other tests.
const deadlockTime = time.Minute

// newEnvironment returns an environment of the suite that takes a slow machine for no deadlock.
func newEnvironment(suite *testsuite.WorkflowTestSuite) *testsuite.TestWorkflowEnvironment {
	return suite.NewTestWorkflowEnvironment().SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: deadlockTime})
}
