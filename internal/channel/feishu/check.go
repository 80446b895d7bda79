package feishu

import (
	"context"
	"net/http"
	"strings"

	"xbot/internal/channel"
)

// probe is a call that changes nothing: what it names is not there. The platform looks at permissions first.
type probe struct {
	what string // the permission that is asked for, where the refusal does not name it
	request
}

const nobody = "000000000000000000000000000000000"

func probes() []probe {
	message := messagePath("om_" + nobody)
	return []probe{
		{"im:message:readonly", request{method: http.MethodGet, path: message}},
		{"im:message:send_as_bot", request{
			method: http.MethodPost, path: "/open-apis/im/v1/messages?receive_id_type=open_id",
			in: object{"receive_id": "ou_" + nobody, "msg_type": "text", "content": `{"text":"."}`},
		}},
		{"im:message:update", request{method: http.MethodPatch, path: message, in: object{"content": encode(textCard(".", nil))}}},
		{"im:message.reactions:write_only", request{method: http.MethodPost, path: message + "/reactions", in: object{"reaction_type": object{"emoji_type": "OK"}}}},
		{"im:resource", request{method: http.MethodGet, path: message + "/resources/file_" + nobody + "?type=file"}},
		{"im:chat:readonly", request{method: http.MethodGet, path: "/open-apis/im/v1/chats/oc_" + nobody}},
		{"contact:user.base:readonly", request{method: http.MethodGet, path: "/open-apis/contact/v3/users/ou_" + nobody + "?user_id_type=open_id"}},
		{"cardkit:card:write", request{
			method: http.MethodPut, path: "/open-apis/cardkit/v1/cards/0/elements/answer/content", in: object{"content": ".", "sequence": 1},
		}},
	}
}

// Check tries the credentials and names what is missing: the bot, and permissions. Events that are not subscribed to cannot be
// seen from outside.
func (a *Account) Check(ctx context.Context) (channel.Identity, []channel.Problem, error) {
	if err := a.tokens.Renew(ctx); err != nil {
		return channel.Identity{}, nil, err
	}
	var problems []channel.Problem
	me, err := a.identify(ctx)
	switch {
	case err != nil && !hopeless(err):
		return channel.Identity{}, nil, channel.Certain(err)
	case refusedAs(err, noScope):
		problems = append(problems, lacking("bot:info", err))
	case err != nil:
		problems = append(problems, channel.Problem{
			What: "bot", Do: "Add the bot to the app at open.feishu.cn, the app, Add Features, Bot, and publish a version.",
		})
	}
	for _, p := range probes() {
		err := a.data(ctx, p.request, nil)
		switch {
		case refusedAs(err, noScope):
			problems = append(problems, lacking(p.what, err))
		case refusedAs(err, limited, flaky), err != nil && !refused(err):
			return channel.Identity{}, nil, channel.Certain(err)
		}
	}
	return channel.Identity{ID: me.OpenID, Name: me.Name}, problems, nil
}

func refused(err error) bool {
	_, ok := refusalOf(err)
	return ok
}

// lacking says which permission is missing.
func lacking(what string, err error) channel.Problem {
	name := what
	if r, ok := refusalOf(err); ok {
		if all := r.missing(); len(all) > 0 {
			name = strings.Join(all, " or ")
		}
	}
	return channel.Problem{
		What: what, Do: "Add " + name + " at open.feishu.cn, the app, Permissions & Scopes, and publish a version.",
	}
}
