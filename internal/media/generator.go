package media

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// Times of a generation.
const (
	sendTime   = 6 * time.Minute  // the paid request with its answer
	recordTime = 5 * time.Minute  // a result waits for a database that is away
	jobTime    = 55 * time.Minute // one call follows a job; another call can go on
	cancelTime = 15 * time.Second
	// Lease is how long the process that sends a request is believed to be alive without a sign.
	Lease      = 12 * time.Second
	aliveEvery = 3 * time.Second
)

// Keys returns how the service of a kind is reached for a user.
type Keys interface {
	For(ctx context.Context, user chat.UserID, service string) (toolkey.Access, error)
}

// Quotas returns the limits of the installation for a kind.
type Quotas interface {
	Quota(ctx context.Context, kind Kind) (Quota, error)
}

// Generator generates media. It is safe for concurrent use; it must not be copied.
type Generator struct {
	Rows      Rows
	Staging   Staging
	Keys      Keys
	Quotas    Quotas
	Providers Providers
	Log       *slog.Logger
	// Pause is that before a job is first asked about; it grows. 0: two seconds.
	Pause time.Duration

	sending sync.WaitGroup
}

// Call is a tool call that generates something.
type Call struct {
	ID      chat.CallID
	Session chat.SessionKey
	User    chat.UserID
	Request
	// Progress receives how far a job is, in percent; 0: not known. nil: nobody watches.
	Progress func(percent int)
	// Stopped reports whether a user stopped the call, once its context has ended.
	Stopped func() bool
}

// Error is the end of a generation without files. Its text is for the model and the user.
type Error struct {
	State State // Failed: nothing was paid for; Unknown: something may have been
	Text  string
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// Generate returns the generation of a call with its files staged. It sends the paid request at most once, however often it is called. An *Error
// is the generation's end; another error is one of the database, or the end of ctx, after which Generate is to be called again.
func (g *Generator) Generate(ctx context.Context, c Call) (Generation, error) {
	now, err := g.Rows.Get(ctx, c.ID)
	mine := false
	if fault.Is(err, fault.NotFound) {
		now, mine, err = g.begin(ctx, c)
	}
	if err != nil {
		return now, err
	}
	if mine {
		if now, err = g.send(ctx, c, now); err != nil {
			return now, err
		}
	}
	return g.follow(ctx, c, now)
}

// begin adds the row of a generation that the provider can be asked for.
func (g *Generator) begin(ctx context.Context, c Call) (Generation, bool, error) {
	a, p, err := g.access(ctx, c.User, c.Kind)
	if err != nil {
		return Generation{}, false, ended(err)
	}
	if err := p.Check(a, c.Request); err != nil {
		return Generation{}, false, ended(err)
	}
	q, err := g.Quotas.Quota(ctx, c.Kind)
	if err != nil {
		return Generation{}, false, err
	}
	now, added, err := g.Rows.Begin(ctx, Generation{
		Call: c.ID, Session: c.Session, User: c.User, Kind: c.Kind, Provider: a.Provider, BaseURL: a.BaseURL, Model: cmp.Or(a.Model, p.Model(c.Kind)), Units: c.Units(),
	}, q)
	if fault.Is(err, fault.RateLimited) {
		return now, false, ended(err)
	}
	return now, added, err
}

// access returns how the provider of a kind is reached.
func (g *Generator) access(ctx context.Context, user chat.UserID, kind Kind) (toolkey.Access, Provider, error) {
	a, err := g.Keys.For(ctx, user, serviceOf(kind))
	if err != nil {
		return a, nil, err
	}
	p, ok := g.Providers[a.Provider]
	if !ok {
		return a, nil, fault.Errorf(fault.Invalid, "the provider %q is not known", a.Provider)
	}
	return a, p, nil
}

func serviceOf(kind Kind) string {
	switch kind {
	case Image:
		return toolkey.Image
	case Speech:
		return toolkey.Speech
	default:
		return toolkey.Video
	}
}

// ended turns a refusal into the end of a generation; errors of the database stay.
func ended(err error) error {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Denied, fault.NotFound, fault.RateLimited, fault.TooLarge, fault.Conflict:
		return &Error{Failed, err.Error()}
	default:
		return err
	}
}

// send sends the paid request. The request outlives the end of ctx, unless a user stopped the call: a deployment does not cut off an answer
// that is paid for.
func (g *Generator) send(ctx context.Context, c Call, now Generation) (Generation, error) {
	a, p, err := g.access(ctx, c.User, c.Kind)
	if err != nil {
		return now, g.end(ctx, c.ID, Failed, err)
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	done := make(chan error, 1)
	g.sending.Go(func() {
		defer cancel()
		defer g.keepAlive(work, c.ID)()
		done <- g.request(work, c, a, p)
	})
	select {
	case err = <-done:
	case <-ctx.Done():
		if c.Stopped == nil || !c.Stopped() {
			return now, context.Cause(ctx)
		}
		cancel()
		if err = <-done; err != nil {
			err = stopped(err)
		}
	}
	if err != nil {
		return now, err
	}
	return g.Rows.Get(context.WithoutCancel(ctx), c.ID)
}

// stopped is the end of a generation whose request was cut off by a user.
func stopped(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.State == Unknown {
		return &Error{Unknown, "The call was stopped while the provider worked on it. It may be charged."}
	}
	return err
}

// Resume goes on with the generation of an earlier call of the same conversation. NotFound: there is none.
func (g *Generator) Resume(ctx context.Context, c Call) (Generation, error) {
	now, err := g.Rows.Get(ctx, c.ID)
	if err == nil && (now.Session != c.Session || now.Kind != c.Kind) {
		err = fault.Errorf(fault.NotFound, "no generation")
	}
	if fault.Is(err, fault.NotFound) {
		return now, &Error{Failed, "This conversation has no such generation."}
	}
	if err != nil {
		return now, err
	}
	return g.follow(ctx, c, now)
}

// request sends the paid request and records the answer.
func (g *Generator) request(ctx context.Context, c Call, a toolkey.Access, p Provider) error {
	var r Result
	var err error
	for try := 1; ; try++ {
		r, err = p.Start(ctx, a, c.Request)
		if err == nil || isUncertain(err) || try == startTries || !fault.Is(err, fault.RateLimited) && !fault.Is(err, fault.Unavailable) {
			break
		}
		if !pause(ctx, min(max(fault.After(err), time.Duration(try)*time.Second), startPause)) {
			break
		}
	}
	if err == nil && r.Job == "" && !r.Done() {
		err = Uncertain("the provider answered without a result")
	}
	switch {
	case isUncertain(err):
		return g.end(ctx, c.ID, Unknown, err)
	case err != nil:
		return g.end(ctx, c.ID, Failed, err)
	case len(r.Files) > 0:
		return g.keep(ctx, c, a, r)
	}
	return g.record(ctx, func(ctx context.Context) error {
		return g.Rows.Start(ctx, c.ID, r.Job, r.Links, g.bookingOf(c.Kind, cmp.Or(a.Model, p.Model(c.Kind)), a, c.Units(), r))
	})
}

// Tries to send a request that the provider did not accept, and the longest pause between two.
const (
	startTries = 3
	startPause = 20 * time.Second
)

// keep stages the files of an answer.
func (g *Generator) keep(ctx context.Context, c Call, a toolkey.Access, r Result) error {
	files := make([]StagedFile, len(r.Files))
	return g.record(ctx, func(ctx context.Context) error {
		for i, f := range r.Files {
			n, err := g.Staging.Put(ctx, c.ID, i, reader(f.Data))
			if err != nil {
				return err
			}
			files[i] = StagedFile{MediaType: f.MediaType, Size: n}
		}
		model := cmp.Or(a.Model, g.Providers[a.Provider].Model(c.Kind))
		return g.Rows.Receive(ctx, c.ID, files, g.bookingOf(c.Kind, model, a, c.Units(), r))
	})
}

// bookingOf returns the usage of a result; nil while a job runs.
func (g *Generator) bookingOf(kind Kind, model string, a toolkey.Access, asked int64, r Result) *Booking {
	if !r.Done() {
		return nil
	}
	units := cmp.Or(r.Usage.Units, asked)
	return &Booking{Units: units, Cost: costOf(a, kind, model, units, r.Usage)}
}

// record writes a result. It waits for a database that is away: the result was paid for. Also after a stop, what came is recorded.
func (g *Generator) record(ctx context.Context, write func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	for {
		err := write(ctx)
		if err == nil || !fault.Is(err, fault.Unavailable) {
			return err
		}
		g.Log.Warn("generated media cannot be recorded yet, trying again", "error", err)
		if !pause(ctx, time.Second) {
			return err
		}
	}
}

// end records the end of a generation without files and returns it.
func (g *Generator) end(ctx context.Context, call chat.CallID, state State, why error) error {
	text := why.Error()
	if state == Unknown {
		text = "The outcome is unknown: " + text + ". It may have been paid for, so the request is not sent again by itself."
	}
	if err := g.record(ctx, func(ctx context.Context) error { return g.Rows.End(ctx, call, state, text) }); err != nil {
		return err
	}
	return &Error{state, text}
}

// keepAlive shows other processes that this one still works on a generation, until the returned function is called.
func (g *Generator) keepAlive(ctx context.Context, call chat.CallID) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for pause(ctx, aliveEvery) {
			if err := g.Rows.KeepAlive(ctx, call); err != nil && ctx.Err() == nil {
				g.Log.Warn("a generation is not marked as alive", "call", string(call), "error", err)
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// follow brings a generation to its end.
func (g *Generator) follow(ctx context.Context, c Call, now Generation) (Generation, error) {
	for {
		var err error
		switch now.State {
		case Received, Stored:
			return now, nil
		case Failed, Unknown:
			return now, &Error{now.State, now.Problem}
		case Starting:
			if !now.Alive {
				return now, g.end(ctx, c.ID, Unknown, errors.New("the server stopped while the request was on its way"))
			}
			if !pause(ctx, time.Second) {
				return now, context.Cause(ctx)
			}
		case Started:
			err = g.fetch(ctx, c, now)
		}
		if err != nil {
			return now, err
		}
		if now, err = g.Rows.Get(ctx, c.ID); err != nil {
			return now, err
		}
	}
}

// Wait returns when the requests that this process has sent are answered and recorded, or ctx has ended.
func (g *Generator) Wait(ctx context.Context) {
	done := make(chan struct{})
	go func() { g.sending.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Open returns a staged file of a generation.
func (g *Generator) Open(ctx context.Context, now Generation, file int) io.ReadSeeker {
	return g.Staging.Open(ctx, now.Call, file, now.Files[file].Size)
}

// pause waits; false: ctx has ended.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
