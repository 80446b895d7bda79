package gateway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

func TestReceive_AMessageWithoutWordsIsAnsweredWhereItIsForTheBot(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for name, c := range map[string]struct {
		e        chat.Envelope
		answered bool
	}{
		"a bare mention":                      {mentioned(ingresstest.InGroup("m1", "ou_1", "")), true},
		"a mention with blanks":               {mentioned(ingresstest.InGroup("m2", "ou_1", " \n")), true},
		"a direct message without content":    {ingresstest.DM("m3", "ou_1", ""), true},
		"an empty message among others":       {ingresstest.InGroup("m4", "ou_1", ""), false},
		"a mention that answers to a message": {quoting(mentioned(ingresstest.InGroup("m5", "ou_1", "")), "what is the plan?"), false},
	} {
		out := b.Receive(c.e)
		if !c.answered {
			require.NotEqual(t, i18n.Say(i18n.English, i18n.NoWords), out.Reply, name)
			continue
		}
		require.Equal(t, gateway.ResultAnswered, out.Result, name)
		require.Equal(t, i18n.Say(i18n.English, i18n.NoWords), out.Reply, name)
		require.Equal(t, gateway.ResultDuplicate, b.Receive(c.e).Result, name)
	}
}

func mentioned(e chat.Envelope) chat.Envelope {
	e.Mentioned = true
	return e
}

func quoting(e chat.Envelope, text string) chat.Envelope {
	e.Quote = &chat.Quote{Text: text}
	return e
}
