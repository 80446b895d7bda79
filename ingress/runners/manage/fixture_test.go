package manage_test

import (
	"testing"

	"xbot/ingress/ingresstest"
)

func TestMain(m *testing.M) { ingresstest.Main(m) }

// bundle is the fixture with what only these tests do with it.
type bundle struct{ *ingresstest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{ingresstest.New(t)}
}
