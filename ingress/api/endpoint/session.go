package endpoint

import (
	"context"
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/chat"
)

// Keyed is an input that embeds Key.
type Keyed interface{ sessionKey() chat.SessionKey }

func (k Key) sessionKey() chat.SessionKey { return k.Key }

// InSession registers an operation in a session of the user, whose result is the body of the answer.
func InSession[In Keyed, T any](b *Base, h huma.API, o huma.Operation, do func(ctx context.Context, s chat.Session, in *In) (T, error)) {
	in(b, b.Own, h, o, answers(do))
}

// InReadable is InSession for sessions that the user may read: administrators read all.
func InReadable[In Keyed, T any](b *Base, h huma.API, o huma.Operation, do func(ctx context.Context, s chat.Session, in *In) (T, error)) {
	in(b, b.Readable, h, o, answers(do))
}

// InSessionDo registers an operation in a session of the user whose answer has no body.
func InSessionDo[In Keyed](b *Base, h huma.API, o huma.Operation, do func(ctx context.Context, s chat.Session, in *In) error) {
	in(b, b.Own, h, o, func(ctx context.Context, s chat.Session, in *In) (*struct{}, error) { return nil, do(ctx, s, in) })
}

// InSessionStream registers an operation in a session of the user that writes its answer itself.
func InSessionStream[In Keyed](b *Base, h huma.API, o huma.Operation, do func(ctx context.Context, s chat.Session, in *In) (*huma.StreamResponse, error)) {
	in(b, b.Own, h, o, do)
}

func answers[In, T any](do func(context.Context, chat.Session, *In) (T, error)) func(context.Context, chat.Session, *In) (*struct{ Body T }, error) {
	return func(ctx context.Context, s chat.Session, in *In) (*struct{ Body T }, error) {
		body, err := do(ctx, s, in)
		return &struct{ Body T }{body}, err
	}
}

func in[In Keyed, Out any](b *Base, find func(context.Context, chat.SessionKey) (chat.Session, error), h huma.API, o huma.Operation, do func(context.Context, chat.Session, *In) (*Out, error)) {
	o.Security = Secured
	huma.Register(h, o, func(ctx context.Context, in *In) (*Out, error) {
		s, err := find(ctx, (*in).sessionKey())
		if err != nil {
			return nil, err
		}
		out, err := do(ctx, s, in)
		if _, is := errors.AsType[huma.StatusError](err); is {
			return nil, err // it is a problem document with its headers
		}
		return out, b.Problem(err)
	})
}
