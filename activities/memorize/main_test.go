package memorize_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("xbot/internal/testing/pgtest.startWatchdog.func1")) // the server of the tests outlives them
}
