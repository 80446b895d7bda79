package turn_test

import (
	"testing"

	"go.uber.org/goleak"

	"xbot/activities/activitiestest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("xbot/internal/testing/pgtest.startWatchdog.func1")) // the server of the tests outlives them
}

// fixture is the shared one with what the tests of this package ask of it.
type fixture struct{ *activitiestest.Fixture }

func setup(t *testing.T, program ...string) *fixture {
	t.Helper()
	return &fixture{activitiestest.New(t, program...)}
}
