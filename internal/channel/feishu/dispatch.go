package feishu

import (
	"context"
	"errors"

	larkevent "github.com/larksuite/oapi-sdk-go/v3/event"
	"github.com/larksuite/oapi-sdk-go/v3/event/dispatcher"
	"github.com/larksuite/oapi-sdk-go/v3/event/dispatcher/callback"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// maxHandling is how many events of an account are handled at once; further ones wait.
const maxHandling = 128

// passedOver are events of bots that are ignored. The library refuses unregistered ones, and the platform repeats refused ones
// for hours.
var passedOver = []string{
	"im.message.message_read_v1", "im.message.reaction.created_v1", "im.message.reaction.deleted_v1",
	"im.chat.access_event.bot_p2p_chat_entered_v1", "im.chat.disbanded_v1", "im.chat.updated_v1",
	"im.chat.member.bot.added_v1", "im.chat.member.bot.deleted_v1", "im.chat.member.user.added_v1", "im.chat.member.user.deleted_v1",
	"im.chat.member.user.withdrawn_v1",
	"application.bot.menu_v6", "application.application.visibility.added_v6", "application.application.app_version.audit_v6",
	"application.application.app_version.publish_apply_v6", "application.application.app_version.publish_revoke_v6",
	"application.application.feedback.created_v6", "application.application.feedback.updated_v6",
	"contact.user.created_v3", "contact.user.updated_v3", "contact.user.deleted_v3", "contact.scope.updated_v3",
	"message_read", "p2p_chat_create", "add_bot", "remove_bot", "app_open", "app_status_change", "app_uninstalled",
	"add_user_to_chat", "remove_user_from_chat", "revoke_add_user_from_chat", "chat_disband", "group_setting_update",
}

// eventSink holds the receiver of events and the reporter.
type eventSink struct {
	to     channel.Receiver
	report channel.Reporter
}

type eventSinkKey struct{}

// inbound puts the receiver of events into the context: the library has one dispatcher for an account and passes its context on.
func inbound(ctx context.Context, to channel.Receiver, report channel.Reporter) context.Context {
	return context.WithValue(ctx, eventSinkKey{}, eventSink{to, report})
}

// redeliverError is the error of an event that is to come again.
type redeliverError struct{ error }

func (u redeliverError) Unwrap() error { return u.error }

// events returns the library's dispatcher of the account. It is made when events are received, for making it prints a line.
func (a *Account) events() *dispatcher.EventDispatcher {
	a.dispatching.Do(func() {
		d := dispatcher.NewEventDispatcher("", "")
		d.InitConfig(larkevent.WithLogger(quiet{}))
		for _, kind := range append([]string{eventMessage, eventRecalled}, passedOver...) {
			d.OnCustomizedEvent(kind, func(ctx context.Context, e *larkevent.EventReq) error {
				_, err := a.arrived(ctx, e.Body)
				return err
			})
		}
		d.OnP2CardActionTrigger(func(ctx context.Context, e *callback.CardActionTriggerEvent) (*callback.CardActionTriggerResponse, error) {
			return a.arrived(ctx, e.Body)
		})
		a.dispatcher = d
	})
	return a.dispatcher
}

// arrived takes an event of the dispatcher.
func (a *Account) arrived(ctx context.Context, raw []byte) (*callback.CardActionTriggerResponse, error) {
	who, ok := ctx.Value(eventSinkKey{}).(eventSink)
	if !ok {
		return nil, redeliverError{fault.Errorf(fault.Internal, "an event of Feishu came to nobody")}
	}
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return nil, redeliverError{ctx.Err()}
	}
	answer, err := a.take(ctx, raw, who.to, who.report)
	if err != nil {
		return nil, redeliverError{err}
	}
	return answer, nil
}

// handOver passes an event that came by HTTP to the dispatcher. An event that the library cannot read, such as a card whose
// value is a text, or does not know is read as far as it fits.
func (a *Account) handOver(ctx context.Context, raw []byte) (any, error) {
	answer, err := a.events().Do(ctx, raw)
	if _, ours := errors.AsType[redeliverError](err); err == nil || ours {
		return answer, err
	}
	return a.arrived(ctx, raw)
}
