// Package ingresstest is the fixture of tests that write to an ingress: its database, its intake and its gateway, without Temporal.
package ingresstest

import (
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package and fails where goroutines outlive them.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("xbot/internal/testing/pgtest.startWatchdog.func1")) // the server of the tests outlives them
}
