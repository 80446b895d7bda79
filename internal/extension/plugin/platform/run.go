package platform

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"xbot/internal/channel"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/fault"
)

const (
	// openTime limits the time of a plugin to connect an account, closeTime to close it.
	openTime  = 30 * time.Second
	closeTime = 3 * time.Second
	// checkEvery is the interval at which a process is asked whether it is still there.
	checkEvery = 30 * time.Second
	// pauseFirst and pauseMost limit the pauses before an account is opened again.
	pauseFirst = time.Second
	pauseMost  = time.Minute
	// messagesASecond and messagesAtOnce limit the messages of an account; more have to wait.
	messagesASecond = 50
	messagesAtOnce  = 100
)

// session is an account that a process of a plugin has opened.
type session struct {
	line     bridge.Line
	channel  plugin.Channel
	account  string
	receiver channel.Receiver
	reporter channel.Reporter
	pace     *rate.Limiter

	mu     sync.Mutex
	stands bool             // it can send
	told   channel.Status   // the status that was reported last
	who    channel.Identity // from the plugin
}

// identity is the identity of the bot, or of a sender, from the plugin.
type identity struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Run receives until ctx ends. If the process ends, the account is opened again in a new one.
func (a *account) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	pause := pauseFirst
	for ctx.Err() == nil {
		stood, err := a.once(ctx, to, report)
		if ctx.Err() != nil {
			return nil
		}
		if there, lookErr := a.hub.there(ctx, a.plugin, a.channel.Name); lookErr == nil && !there {
			return channel.Absent(a.channel.Name)
		}
		if fault.Is(err, fault.Denied) || fault.Is(err, fault.Invalid) && !stood {
			return err
		}
		report.Report(channel.Status{Err: err})
		if stood {
			pause = pauseFirst
		}
		channel.Rest(ctx, pause)
		pause = min(2*pause, pauseMost)
	}
	return nil
}

// once receives through one process, until it ends or ctx does. stood reports whether the account was connected.
func (a *account) once(ctx context.Context, to channel.Receiver, report channel.Reporter) (stood bool, err error) {
	lines := a.hub.connected()
	if lines == nil {
		return false, fault.Errorf(fault.Unavailable, "this process runs no plugins")
	}
	line, err := lines.Hold(ctx, a.plugin)
	if err != nil {
		return false, fault.Errorf(fault.Unavailable, "%w", err)
	}
	defer line.Release()
	line.Hide(a.secrets()...)
	s := &session{
		line: line, channel: a.channel, account: a.name, receiver: to, reporter: report, pace: rate.NewLimiter(messagesASecond, messagesAtOnce),
	}
	if !a.hub.add(a.at(), s) {
		return false, fault.Errorf(fault.Unavailable, "the account %s is open already", channel.Name(a.channel.Name, a.name))
	}
	defer a.hub.remove(a.at())
	if err := a.connect(ctx, s); err != nil {
		return false, err
	}
	defer a.leave(ctx, s)
	return true, s.follow(ctx)
}

// connect asks the plugin to connect the account.
func (a *account) connect(ctx context.Context, s *session) error {
	var who identity
	err := s.line.Ask(ctx, bridge.Request{Method: "channels/open", Timeout: openTime, Params: a.opening()}, &who)
	if err != nil {
		return channel.Certain(explained(err))
	}
	s.mu.Lock()
	s.stands = true
	s.who = channel.Identity{ID: line(who.ID), Name: line(who.Name)}
	s.mu.Unlock()
	s.report(channel.Status{Connected: true})
	return nil
}

// leave asks the plugin to close the account.
func (a *account) leave(ctx context.Context, s *session) {
	s.mu.Lock()
	s.stands = false
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	_ = s.line.Ask(ctx, bridge.Request{Method: "channels/close", Timeout: closeTime, Params: a.named()}, &struct{}{}) // it may be gone
}

// follow waits until the process is over.
func (s *session) follow(ctx context.Context) error {
	check := time.NewTicker(checkEvery)
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.line.Over():
			return fault.Errorf(fault.Unavailable, "the plugin %s has ended: %s", s.line.Plugin(), s.line.Why())
		case <-check.C:
			s.line.Ping()
		}
	}
}

// here reports whether the account can send.
func (s *session) here() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stands
}

func (s *session) report(to channel.Status) {
	s.mu.Lock()
	s.told = to
	s.mu.Unlock()
	s.reporter.Report(to)
}

// explained converts an error of a request to one of the port. An error that leaves the outcome unknown is marked so.
func explained(err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*bridge.RefusedError](err); ok {
		switch refused.Code {
		case bridge.CodeRefused:
			return fault.Errorf(fault.Denied, "%w", err)
		case bridge.CodeLimited:
			return fault.Limited(max(refused.After, time.Second), "%w", err)
		case bridge.CodeAway:
			return fault.Errorf(fault.Unavailable, "%w", err)
		}
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "%w", err))
	}
	if _, ok := errors.AsType[*bridge.UnknownError](err); ok {
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "%w", err))
	}
	return err
}

// tried asks the plugin to try the settings of an account that is not open, without receiving for it. closed is returned if it cannot.
func (a *account) tried(ctx context.Context, closed error) (channel.Identity, error) {
	lines := a.hub.connected()
	if lines == nil {
		return channel.Identity{}, closed
	}
	held, err := lines.Hold(ctx, a.plugin)
	if err != nil {
		return channel.Identity{}, fault.Errorf(fault.Unavailable, "%w", err)
	}
	defer held.Release()
	held.Hide(a.secrets()...)
	var who identity
	err = held.Ask(ctx, bridge.Request{Method: "channels/check", Timeout: openTime, Params: a.opening()}, &who)
	if refused, ok := errors.AsType[*bridge.RefusedError](err); ok && refused.Code == bridge.CodeNoMethod {
		return channel.Identity{}, closed
	}
	return channel.Identity{ID: line(who.ID), Name: line(who.Name)}, channel.Certain(explained(err))
}

// opening is an account with its settings.
type opening struct {
	accountRef

	Settings map[string]string `json:"settings"`
}

func (a *account) opening() opening { return opening{a.named(), a.settings} }
