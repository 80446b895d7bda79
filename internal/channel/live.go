package channel

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"xbot/internal/fault"
)

// Configured is an account's configuration, with its secrets.
type Configured struct {
	Channel  string
	Account  string
	Enabled  bool
	Settings map[string]string
	Revision int64 // it changes with every change
	Fault    error // why it cannot be opened at all, such as unreadable secrets; it affects this account alone
}

// Source reads the configuration of accounts.
type Source interface {
	ChannelAccounts(ctx context.Context) ([]Configured, error)
}

// liveFor is how old the data of Live may be.
const liveFor = time.Second

// ResourceProvider returns the resources of an account in this process.
type ResourceProvider interface {
	Resources(channel, account string) Resources
}

// Live opens accounts with their current configuration. It is safe for concurrent use.
type Live struct {
	Source    Source
	Drivers   []Driver
	More      DriverSource // in addition; nil: there are none
	Resources ResourceProvider
	// Copy is true if another installation has these accounts: none is opened here.
	Copy bool

	mu     sync.Mutex // never held while Source is asked
	read   time.Time  // when the read of known began
	stale  time.Time  // older data is out of date
	known  []Configured
	added  []Driver
	opened map[[2]string]opened
}

type opened struct {
	account  Account
	revision int64
	version  string // of the driver
	err      error
}

// Accounts returns the configured accounts, at most a second old.
func (l *Live) Accounts(ctx context.Context) ([]Configured, error) {
	if err := l.current(ctx); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known, nil
}

// current reads the configuration if the known one is too old. Callers do not wait for each other's reads.
func (l *Live) current(ctx context.Context) error {
	l.mu.Lock()
	fresh := l.read.After(l.stale) && time.Since(l.read) < liveFor
	l.mu.Unlock()
	if fresh {
		return nil
	}
	asked := time.Now()
	known, err := l.Source.ChannelAccounts(ctx)
	if err != nil {
		return err
	}
	var added []Driver
	if l.More != nil {
		if added, err = l.More.Drivers(ctx); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if asked.After(l.read) {
		l.added = added
		l.learn(known, asked)
	}
	return nil
}

// learn stores the configuration, and drops accounts that were opened with another one.
func (l *Live) learn(known []Configured, asked time.Time) {
	l.known, l.read = known, asked
	there := map[[2]string]opened{}
	for _, c := range known {
		id := [2]string{c.Channel, c.Account}
		d, _ := l.driver(c.Channel)
		if o, ok := l.opened[id]; ok && o.revision == c.Revision && o.version == d.Version && !IsAbsent(o.err) {
			there[id] = o
		}
	}
	l.opened = there
}

// Account returns an account, opened with its current configuration. An unknown one is NotFound, one that is switched off,
// wrongly configured, or connected by the original of this installation is Unavailable.
func (l *Live) Account(ctx context.Context, channel, account string) (Account, error) {
	if err := l.current(ctx); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c, err := l.find(channel, account)
	if err != nil {
		return nil, err
	}
	if !c.Enabled {
		return nil, fault.Errorf(fault.Unavailable, "the channel %s is switched off", Name(channel, account))
	}
	if l.Copy {
		return nil, errCopy
	}
	return l.open(c)
}

// Aside returns a second instance of an account, separate from the shared one, even if the account is switched off.
func (l *Live) Aside(ctx context.Context, channel, account string) (Account, error) {
	if err := l.current(ctx); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c, err := l.find(channel, account)
	if err != nil {
		return nil, err
	}
	if l.Copy {
		return nil, errCopy
	}
	return l.make(c)
}

// errCopy is why a copy of an installation opens no account. It may become the original, so outgoing messages wait.
var errCopy = fault.Errorf(fault.Unavailable, "this installation is a copy of another one (XBOT_COPY=on), so its bots are not connected")

func (l *Live) find(channel, account string) (Configured, error) {
	for _, c := range l.known {
		if c.Channel == channel && c.Account == account {
			return c, nil
		}
	}
	return Configured{}, fault.Errorf(fault.NotFound, "there is no channel %s", Name(channel, account))
}

func (l *Live) open(c Configured) (Account, error) {
	id := [2]string{c.Channel, c.Account}
	o, ok := l.opened[id]
	if !ok {
		d, _ := l.driver(c.Channel)
		o.revision, o.version = c.Revision, d.Version
		o.account, o.err = l.make(c)
		l.opened[id] = o
	}
	return o.account, o.err
}

func (l *Live) make(c Configured) (Account, error) {
	driver, ok := l.driver(c.Channel)
	if !ok {
		return nil, Absent(c.Channel)
	}
	err := c.Fault
	var a Account
	if err == nil {
		a, err = driver.Open(c.Account, maps.Clone(c.Settings), l.Resources.Resources(c.Channel, c.Account))
	}
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "the channel %s is not configured rightly: %w", Name(c.Channel, c.Account), err)
	}
	return a, nil
}

// Refresh makes the next call read the configuration again. Call it after a change.
func (l *Live) Refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stale = time.Now()
}

// driver returns the driver of a channel. The caller holds mu.
func (l *Live) driver(name string) (Driver, bool) {
	for _, d := range slices.Concat(l.Drivers, l.added) {
		if d.Name == name {
			return d, true
		}
	}
	return Driver{}, false
}

// Name returns the display name of an account: its channel, with the account if it has a name.
func Name(channel, account string) string {
	if account == "" {
		return channel
	}
	return channel + "/" + account
}
