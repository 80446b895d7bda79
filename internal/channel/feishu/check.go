package feishu

import (
	"context"
	"net/http"
	"slices"
	"strings"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"

	"xbot/internal/channel"
)

// probe is a call that changes nothing: its target does not exist. The platform checks permissions first.
type probe struct {
	what         string // the permission that is tested, if the refusal does not name it
	method, path string
	query        [2]string
	body         object // nil: none
}

const nobody = "000000000000000000000000000000000"

func probes() []probe {
	message := "/open-apis/im/v1/messages/om_" + nobody
	return []probe{
		{what: "im:message:readonly", method: http.MethodGet, path: message},
		{
			what: "im:message:send_as_bot", method: http.MethodPost, path: "/open-apis/im/v1/messages", query: [2]string{"receive_id_type", "open_id"},
			body: object{"receive_id": "ou_" + nobody, "msg_type": "text", "content": `{"text":"."}`},
		},
		{what: "im:message:update", method: http.MethodPatch, path: message, body: object{"content": encode(textCard(channel.Message{Text: "."}))}},
		{
			what: "im:message.reactions:write_only", method: http.MethodPost, path: message + "/reactions",
			body: object{"reaction_type": object{"emoji_type": "OK"}},
		},
		{what: "im:resource", method: http.MethodGet, path: message + "/resources/file_" + nobody, query: [2]string{"type", "file"}},
		{what: "im:chat:readonly", method: http.MethodGet, path: "/open-apis/im/v1/chats/oc_" + nobody},
		{
			what: "contact:user.base:readonly", method: http.MethodGet, path: "/open-apis/contact/v3/users/ou_" + nobody,
			query: [2]string{"user_id_type", "open_id"},
		},
		{
			what: "cardkit:card:write", method: http.MethodPut, path: "/open-apis/cardkit/v1/cards/0/elements/answer/content",
			body: object{"content": ".", "sequence": 1},
		},
	}
}

// try makes the call of a probe.
func (a *Account) try(ctx context.Context, p probe) error {
	q := &larkcore.ApiReq{HttpMethod: p.method, ApiPath: p.path, QueryParams: larkcore.QueryParams{}}
	if p.query[0] != "" {
		q.QueryParams.Set(p.query[0], p.query[1])
	}
	if p.body != nil {
		q.Body = p.body
	}
	return a.request(ctx, q, nil)
}

// listens are permissions without which events do not arrive; no call needs them. Each is granted under any of its names, which the
// console has changed over time.
var listens = [][]string{
	{"im:message.p2p_msg:readonly", "im:message.p2p_msg"},
	{
		"im:message.group_at_msg:readonly", "im:message.group_at_msg", "im:message.group_at_msg.include_bot:readonly", "im:message.group_msg",
		"im:message.group_msg:readonly",
	},
}

// granted is the grant_status of a permission that the organization has given to the app.
const granted = 1

// deaf returns the missing permissions for events, by the platform's list. It returns none if the platform gives no list.
func (a *Account) deaf(ctx context.Context) (problems []channel.Problem) {
	var out struct {
		Data struct {
			Scopes []struct {
				Name   string `json:"scope_name"`
				Status int    `json:"grant_status"`
				Type   string `json:"scope_type"`
			} `json:"scopes"`
		} `json:"data"`
	}
	err := a.request(ctx, &larkcore.ApiReq{HttpMethod: http.MethodGet, ApiPath: "/open-apis/application/v6/scopes"}, &out)
	if err != nil || len(out.Data.Scopes) == 0 {
		return nil
	}
	has := map[string]bool{}
	for _, s := range out.Data.Scopes {
		has[s.Name] = has[s.Name] || s.Status == granted && s.Type != "user"
	}
	for _, names := range listens {
		if !slices.ContainsFunc(names, func(name string) bool { return has[name] }) {
			problems = append(problems, lacking(names[0], nil))
		}
	}
	return problems
}

// Check tries the credentials and names missing parts: the bot, and permissions. Missing event subscriptions cannot be
// detected.
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
		err := a.try(ctx, p)
		switch {
		case refusedAs(err, noScope):
			problems = append(problems, lacking(p.what, err))
		case refusedAs(err, limited, flaky), err != nil && !refused(err):
			return channel.Identity{}, nil, channel.Certain(err)
		}
	}
	return channel.Identity{ID: me.OpenID, Name: me.Name}, append(problems, a.deaf(ctx)...), nil
}

func refused(err error) bool {
	_, ok := refusalOf(err)
	return ok
}

// lacking returns the problem of a missing permission.
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
