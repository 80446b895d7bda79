package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/channel/qq/qqtest"
	"xbot/internal/client/apiclient"
)

// chats is a platform with a user who writes to the bot.
type chats struct {
	name      string
	env       []string
	connected func() bool
	say       func(text string)
	read      func() string // the newest message of the bot
	close     func()
}

// deliveries measures the way of an answer from its end at the model to the users on a platform.
func deliveries(ctx context.Context, s *stack) ([]figure, error) {
	var on []chats
	for _, start := range []func() (chats, error){feishuChats, qqChats, napcatChats} {
		c, err := start()
		if err != nil {
			return nil, err
		}
		defer c.close()
		on = append(on, c)
		s.env = append(s.env, c.env...)
	}
	if err := s.stop(); err != nil {
		return nil, err
	}
	if _, err := s.start(ctx); err != nil {
		return nil, err
	}
	const open = `{channels: {
		feishu: {dmPolicy: "open", allowFrom: ["*"]}, qq: {dmPolicy: "open", allowFrom: ["*"]}, napcat: {dmPolicy: "open", allowFrom: ["*"]},
	}}`
	if err := s.setPolicy(ctx, open); err != nil {
		return nil, err
	}
	var out []figure
	for _, c := range on {
		lags, err := s.lags(ctx, c, 60)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		out = append(out,
			figure{"end of the model's answer to " + c.name + " p50", quantile(lags, 0.5), "ms", ""},
			figure{"end of the model's answer to " + c.name + " p95", quantile(lags, 0.95), "ms", ""})
	}
	return out, nil
}

// setPolicy replaces the current policy.
func (s *stack) setPolicy(ctx context.Context, text string) error {
	before, err := s.client.GetPolicy(ctx, apiclient.GetPolicyParams{})
	if err != nil {
		return err
	}
	_, err = s.client.SetPolicy(ctx, apiclient.NewPolicy{Text: text, Version: before.Version})
	return err
}

// lags asks n times after a warm-up, one question after the other.
func (s *stack) lags(ctx context.Context, c chats, n int) ([]time.Duration, error) {
	if err := until(ctx, c.connected); err != nil {
		return nil, err
	}
	var lags []time.Duration
	for i := range n + 5 {
		want := fmt.Sprintf("answer %d.", i)
		c.say("say " + want)
		if err := until(ctx, func() bool { return strings.Contains(c.read(), want) }); err != nil {
			return nil, err
		}
		if i >= 5 {
			lags = append(lags, time.Since(s.model.Answered()))
		}
	}
	return lags, nil
}

// until looks every millisecond.
func until(ctx context.Context, is func() bool) error {
	limit := time.Now().Add(time.Minute)
	for !is() {
		if ctx.Err() != nil || time.Now().After(limit) {
			return fmt.Errorf("it did not happen within a minute: %w", context.DeadlineExceeded)
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

func feishuChats() (chats, error) {
	p, err := feishutest.New(feishutest.Config{})
	if err != nil {
		return chats{}, err
	}
	carol := feishutest.Person{OpenID: "ou_carol", Name: "Carol"}
	return chats{
		name: "Feishu", env: []string{"FEISHU_APP_ID=" + p.AppID, "FEISHU_APP_SECRET=" + p.Secret, "FEISHU_DOMAIN=" + p.URL},
		connected: func() bool { return p.Connected() > 0 }, close: p.Close,
		say: func(text string) { p.Write(feishutest.Incoming{From: carol, Text: text}) },
		read: func() string {
			all := p.Shown(p.Direct(carol), "")
			if len(all) == 0 {
				return ""
			}
			return all[len(all)-1].Text
		},
	}, nil
}

func qqChats() (chats, error) {
	p, err := qqtest.New(qqtest.Config{})
	if err != nil {
		return chats{}, err
	}
	carol, set := qqtest.Person{ID: "CAROL", Name: "Carol"}, p.Settings()
	return chats{
		name: "QQ", env: []string{"QQ_APP_ID=" + set["app_id"], "QQ_APP_SECRET=" + set["app_secret"], "QQ_API_URL=" + set["api_url"]},
		connected: func() bool { return p.Connected() > 0 }, close: p.Close,
		say: func(text string) { p.Write(qqtest.Incoming{Scene: qqtest.Direct, From: carol, Text: text}) },
		read: func() string {
			all := p.Messages(qqtest.Direct, carol.ID)
			if len(all) == 0 {
				return ""
			}
			return all[len(all)-1].Text
		},
	}, nil
}

func napcatChats() (chats, error) {
	p, err := onebottest.New(onebottest.Options{Token: "bench"})
	if err != nil {
		return chats{}, err
	}
	const carol = "20007"
	p.AddPerson(carol, "Carol")
	return chats{
		name: "NapCat", env: []string{"NAPCAT_URL=" + p.URL(), "NAPCAT_TOKEN=bench", "NAPCAT_SEND_PAUSE=0s"},
		connected: func() bool { return p.Connected() > 0 }, close: p.Close,
		say: func(text string) { p.Say(onebottest.Person(carol), carol, onebottest.Text(text)) },
		read: func() string {
			all := p.OfBot(onebottest.Person(carol))
			if len(all) == 0 {
				return ""
			}
			return p.Read(all[len(all)-1])
		},
	}, nil
}
