package slash_test

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

// platform is the fixture with what only these tests do with it.
type platform struct{ *ingresstest.Platform }

func bridged(t *testing.T, document string) *platform {
	t.Helper()
	return &platform{ingresstest.NewPlatform(t, document)}
}
