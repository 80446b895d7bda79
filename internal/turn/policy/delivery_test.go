package policy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
)

func TestDelivery_TheChannelsOwnComesBeforeTheGeneralOneAndTheDefault(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		text string
		want policy.Waiting
	}{
		"default":             {`{}`, policy.Waiting{MaxAge: day, Late: 10 * time.Minute}},
		"general":             {`{messages: {delivery: {maxAgeMinutes: 60, lateAfterMinutes: 5}}}`, policy.Waiting{MaxAge: time.Hour, Late: 5 * time.Minute}},
		"of the channel":      {`{messages: {delivery: {maxAgeMinutes: 60, byChannel: {qq: {maxAgeMinutes: 30}}}}}`, policy.Waiting{MaxAge: 30 * time.Minute, Late: 10 * time.Minute}},
		"of another channel":  {`{messages: {delivery: {byChannel: {feishu: {maxAgeMinutes: 30}}}}}`, policy.Waiting{MaxAge: day, Late: 10 * time.Minute}},
		"late ones dropped":   {`{messages: {delivery: {late: "drop"}}}`, policy.Waiting{MaxAge: 10 * time.Minute, Late: 10 * time.Minute}},
		"dropped but for one": {`{messages: {delivery: {late: "drop", byChannel: {qq: {late: "deliver"}}}}}`, policy.Waiting{MaxAge: day, Late: 10 * time.Minute}},
		"dropped before late": {`{messages: {delivery: {late: "drop", maxAgeMinutes: 3}}}`, policy.Waiting{MaxAge: 3 * time.Minute, Late: 10 * time.Minute}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, parse(t, c.text).Delivery("qq")) })
	}
}

func TestDelivery_WrongValuesAreNamed(t *testing.T) {
	for text, named := range map[string]string{
		`{messages: {delivery: {maxAgeMinutes: -1}}}`:                "messages.delivery.maxAgeMinutes",
		`{messages: {delivery: {maxAgeMinutes: 20000}}}`:             "messages.delivery.maxAgeMinutes",
		`{messages: {delivery: {late: "dorp"}}}`:                     `did you mean "drop"`,
		`{messages: {delivery: {byChannel: {qq: {late: "never"}}}}}`: "messages.delivery.byChannel.qq.late",
		`{messages: {delivery: {byChannel: {"a b": {}}}}}`:           "messages.delivery.byChannel",
		`{messages: {delivery: {byChannel: {qq: {byChannel: {}}}}}}`: "is not known",
	} {
		_, _, err := policy.Parse([]byte(text))
		require.ErrorContains(t, err, named, text)
	}
}
