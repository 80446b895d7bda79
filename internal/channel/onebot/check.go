package onebot

import (
	"context"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/fault"
)

// Check asks NapCat for its account and whether it has the actions that this package uses.
func (a *account) Check(ctx context.Context) (channel.Identity, []channel.Problem, error) {
	var (
		id       channel.Identity
		problems []channel.Problem
	)
	err := a.with(ctx, func(c *conn) error {
		var err error
		if id, err = a.whoami(ctx, c); err != nil {
			if fault.Is(err, fault.NotFound) {
				problems = append(problems, missing("get_login_info"))
				return nil
			}
			return err
		}
		problems = a.lacks(ctx, c)
		return c.reason()
	})
	return id, problems, err
}

func (a *account) lacks(ctx context.Context, c *conn) []channel.Problem {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	var (
		out     []channel.Problem
		version struct {
			App      string `json:"app_name"`
			Protocol string `json:"protocol_version"`
		}
		status wire.Health
		recent []struct{}
	)
	if err := c.ask(ctx, "get_version_info", params{}, &version); err != nil {
		out = append(out, problem("get_version_info", err))
	} else if version.Protocol != "" && version.Protocol != "v11" {
		out = append(out, channel.Problem{
			What: "protocol " + version.Protocol, Do: version.App + " does not speak OneBot 11; use NapCat, or switch its protocol",
		})
	}
	if err := c.ask(ctx, "get_status", params{}, &status); err != nil {
		out = append(out, problem("get_status", err))
	} else if status.Down() {
		out = append(out, channel.Problem{What: "QQ", Do: "NapCat runs, but its QQ account is offline: sign in again in NapCat"})
	}
	if err := c.ask(ctx, "get_recent_contact", params{"count": 1}, &recent); err != nil {
		out = append(out, problem("get_recent_contact", err))
	}
	return out
}

// missing returns an action that NapCat does not have.
func missing(action string) channel.Problem {
	return channel.Problem{What: action, Do: "NapCat does not have this action: update it"}
}

func problem(action string, err error) channel.Problem {
	if fault.Is(err, fault.NotFound) {
		return missing(action)
	}
	return channel.Problem{What: action, Do: "it failed: " + err.Error()}
}
