package replystream_test

import (
	"testing"

	"xbot/ingress/ingresstest"
)

func TestMain(m *testing.M) { ingresstest.Main(m) }
