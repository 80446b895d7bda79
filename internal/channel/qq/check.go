package qq

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Check gets a token, asks for the bot's identity, and looks at the gateway. It opens no session: that would end the open
// one. The last session shows which events are not permitted.
func (a *Account) Check(ctx context.Context) (channel.Identity, []channel.Problem, error) {
	if err := a.tokens.Renew(ctx); err != nil {
		return channel.Identity{}, nil, explained(err)
	}
	var me person
	if err := a.call(ctx, http.MethodGet, "/users/@me", nil, &me); err != nil {
		return channel.Identity{}, nil, explained(err)
	}
	who := channel.Identity{ID: me.ID, Name: me.Name}
	if a.set.webhook {
		return who, nil, nil
	}
	problems, err := a.checkGateway(ctx)
	if err != nil {
		return who, nil, err
	}
	return who, append(problems, a.checkEvents(ctx)...), nil
}

func (a *Account) checkGateway(ctx context.Context) ([]channel.Problem, error) {
	var at address
	err := a.call(ctx, http.MethodGet, "/gateway/bot", nil, &at)
	if r, ok := errors.AsType[*refusal](err); ok && r.class() == forbidden {
		return []channel.Problem{{
			What: "gateway", Do: fmt.Sprintf("QQ gives this bot no WebSocket (%s). Set mode to webhook, or have it permitted in q.qq.com.", r.message),
		}}, nil
	}
	if err != nil {
		return nil, explained(err)
	}
	var problems []channel.Problem
	if l := at.Limit; l.Total > 0 && l.Remaining <= l.Total/20 {
		reset := (time.Duration(l.ResetAfter) * time.Millisecond).Round(time.Minute)
		problems = append(problems, channel.Problem{What: "session_start_limit", Do: fmt.Sprintf(
			"%d of %d new sessions are left for %s. Look why the connection breaks so often, or whether a second process uses the bot.",
			l.Remaining, l.Total, reset)})
	}
	if at.Shards > 1 {
		problems = append(problems, channel.Problem{What: "shards", Do: fmt.Sprintf(
			"QQ suggests %d connections for this bot, and one is used. Set mode to webhook.", at.Shards)})
	}
	return problems, nil
}

// checkEvents names the events that the last session did not get.
func (a *Account) checkEvents(ctx context.Context) []channel.Problem {
	k := keeper{memory: a.memory}
	if err := k.load(ctx, a.set); err != nil {
		return nil // Run reports it
	}
	var problems []channel.Problem
	for _, what := range a.set.levels()[k.get().Level].missing {
		problems = append(problems, channel.Problem{
			What: what, Do: "Apply for it in q.qq.com, Development, Event subscription; it is asked for again once a day.",
		})
	}
	return problems
}

// watching is how often the credentials are tried while events come by webhook.
const watching = 5 * time.Minute

// watch is Run in webhook mode.
func (a *Account) watch(ctx context.Context, report channel.Reporter) error {
	for {
		pause := watching
		_, err := a.tokens.Get(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case fault.Is(err, fault.Denied):
			report.Report(channel.Status{Err: err})
			return err
		case err != nil:
			report.Report(channel.Status{Err: err})
			pause = max(a.pace.most, fault.After(err))
		default:
			report.Report(channel.Status{Connected: true})
		}
		if !channel.Rest(ctx, pause) {
			return nil
		}
	}
}

// String names the account without its secret.
func (a *Account) String() string { return strings.TrimSuffix("qq/"+a.name, "/") }
