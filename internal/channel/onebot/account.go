package onebot

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/memo"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/fault"
)

// account is the state that both modes share: actions, and cached data of users and chats. All of it may be lost.
type account struct {
	name string
	settings
	resources channel.Resources
	files     *http.Client                             // for addresses that came with messages
	dial      func(ctx context.Context) (*conn, error) // a connection for actions alone; nil: there is none of our making

	link atomic.Pointer[conn]        // for actions, while Run holds one
	self atomic.Pointer[wire.Number] // the bot, once known

	patience time.Duration // how long one event may fail before it is passed over
	cool     time.Duration // the pause after connections that were cut off at once
	behind   int           // times in a row that catching up has failed; of Run alone

	names *memo.Memo[string] // of users and groups
	met   *recentMessages
	marks *marks
	pace  pace
}

func newAccount(name string, s settings, o channel.Resources) *account {
	a := &account{name: name, settings: s, resources: o, files: o.FileClient(s.ownAddress()), names: memo.New[string](), met: newMet(), marks: newMarks(), patience: channel.Patience, cool: coolDown}
	a.pace.pause = s.pause
	a.self.Store(new(wire.Number(s.self)))
	return a
}

// Bounds of a message.
const (
	// maxText is the length of one message, in characters, and maxShown how much QQ shows of one; NapCat cuts nothing. The
	// difference leaves space for addresses, which are added after the words of a link.
	maxText  = 3000
	maxShown = 4500
	// maxFile is the size of one file that is sent, in bytes: NapCat takes frames up to 50 MB, and base64 needs a third more.
	maxFile = 36 << 20
)

// Traits are QQ's limits for an ordinary account.
func (a *account) Traits() channel.Traits {
	t := channel.Traits{MaxText: maxText, MaxFile: maxFile, Dialect: channel.Plain, Signs: a.signs}
	if t.Signs == 0 {
		t.Signs = -1 // none
	}
	return t
}

// How long actions may take.
const (
	readWait = 15 * time.Second
	sendWait = 30 * time.Second
)

// linked returns the connection for actions, nil if it has ended.
func (a *account) linked() *conn {
	if c := a.link.Load(); c != nil && c.reason() == nil {
		return c
	}
	return nil
}

func (a *account) who() wire.Number { return *a.self.Load() }

// with runs f on the connection that takes actions: the one of Run, or a separate one if Run is in another process.
func (a *account) with(ctx context.Context, f func(c *conn) error) error {
	if c := a.linked(); c != nil {
		return f(c)
	}
	if a.dial == nil {
		return errNotLinked
	}
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	return f(c)
}

// errNotLinked means that only NapCat can make the connection.
var errNotLinked error = fault.Errorf(fault.Unavailable, "NapCat is not connected to this server: look at the WebSocket client in its network settings")

// ask performs an action that only reads, and decodes its data into out, which may be nil.
func (a *account) ask(ctx context.Context, action string, params, out any) error {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	return a.with(ctx, func(c *conn) error { return c.ask(ctx, action, params, out) })
}

func (c *conn) ask(ctx context.Context, action string, params, out any) error {
	got, err := c.do(ctx, action, params, nil)
	if err != nil {
		return err
	}
	if err := got.Refused(action, false); err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(got.Data, out); err != nil {
		return fmt.Errorf("NapCat's answer to %s is not understood: %w", action, err)
	}
	return nil
}

// params are the parameters of an action.
type params map[string]any
