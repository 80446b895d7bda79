package workflows

import (
	"cmp"
	"strconv"
	"strings"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/delivery"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
)

// maxDeliveries is how much one run sends before it continues as new.
const maxDeliveries = 100

// DeliverInput names the session whose answers are delivered. It carries none: they are rows.
type DeliverInput struct {
	Session chat.SessionKey `json:"session"`
}

// Deliver sends the messages of a session to its platform, in order, and completes when nothing waits. While nothing does and a turn runs for some
// seconds, it shows there the progress of the turn: both in one place, so that they never meet. A platform that is away holds the answers of this session
// and nothing else: each try is an attempt of the activity.
func Deliver(ctx workflow.Context, in DeliverInput) error {
	wakes := workflow.GetSignalChannel(ctx, SignalWake)
	for range maxDeliveries {
		drainAll(wakes)
		var next delivery.NextDeliveryOutput
		err := workflow.ExecuteLocalActivity(localOptions(ctx, "next"), activities.NameNextDelivery, delivery.NextDeliveryInput{Session: in.Session}).Get(ctx, &next)
		if err != nil {
			return err
		}
		if next.Follow != "" {
			if err := follow(ctx, next); err != nil {
				return err
			}
			continue
		}
		if next.ID == 0 {
			if !drainAll(wakes) {
				return nil
			}
			continue
		}
		if err := send(ctx, next); err != nil {
			return err
		}
	}
	return continueAsNew(ctx, NameDeliver, in)
}

func send(ctx workflow.Context, next delivery.NextDeliveryOutput) error {
	words, what, summarized := next.Words, "answer", ""
	switch next.Kind {
	case chat.OutboundQuestion:
		what, summarized = "question", "ask"
	case chat.OutboundSettled:
		what, summarized = "end of a question", "settle"
	default:
		if words != "" {
			words = `"` + words + `"`
		}
	}
	show := func(state string) {
		about := strings.Join(nonempty(next.Channel, words, what+" "+strconv.FormatInt(next.ID, 10)), " · ")
		workflow.SetCurrentDetails(ctx, "**"+state+"** · "+markdown.Escaped(about))
	}
	show("sending")
	var out delivery.SendOutput
	summary := strings.Join(nonempty(summarized, next.Channel, words), " · ")
	if err := workflow.ExecuteActivity(sendOptions(ctx, summary), activities.NameSend, delivery.SendInput{ID: next.ID}).Get(ctx, &out); err != nil {
		return err
	}
	show(cmp.Or(out.State, "had ended before"))
	return nil
}

// follow shows the progress of a turn until something is to be sent or the turn has ended.
func follow(ctx workflow.Context, next delivery.NextDeliveryOutput) error {
	workflow.SetCurrentDetails(ctx, "**shows how the turn goes on** · "+markdown.Escaped(next.Channel)+" · "+string(next.Follow))
	return workflow.ExecuteActivity(followOptions(ctx, next.Channel), activities.NameFollow, delivery.FollowInput{Turn: next.Follow}).Get(ctx, nil)
}

// drainAll takes the wakes that came so far and reports whether there was one.
func drainAll(wakes workflow.ReceiveChannel) (came bool) {
	for wakes.ReceiveAsync(nil) {
		came = true
	}
	return came
}
