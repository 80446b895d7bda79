// Package feed carries events to the users who watch a session. Durable events are rows; the bus announces new ones and
// caches the newest that this process has committed. Live events (current output of a model or a command) are not stored: they go through
// memory to subscribers in this process and through NOTIFY to other processes, and may be lost, since the durable event that follows brings
// the whole. A subscriber listens first and reads rows second, so that it misses nothing.
package feed

import (
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"xbot/internal/chat"
)

// liveBuffer is how many live events a slow subscriber may lag behind before further ones are dropped for it. The offsets show the gap.
const liveBuffer = 256

// liveAge is how long a live entry without further events is stored: longer than a command in the foreground is silent
// (600 s). It covers events that an attempt publishes after its turn was closed.
const liveAge = 15 * time.Minute

// Bus connects publishers and subscribers. It is safe for concurrent use.
type Bus struct {
	log    *slog.Logger
	origin string
	out    chan packet  // to the notifier; full means events are dropped for other processes
	peers  atomic.Bool  // another process listens on the database
	heard  atomic.Int64 // packets from others

	mu     sync.Mutex
	topics map[chat.SessionKey]*topic
	guards map[chan struct{}]struct{} // the channels that AccessChanges returned
}

// topic is a session with subscribers or live events. It is removed when it has neither.
type topic struct {
	subs  map[*Subscription]struct{}
	below map[*Subscription]struct{} // of subagents of the session: they get its EventBelow
	live  snapshot
	heard time.Time // time of the last live event
	// recent are the newest durable events, as far as this process committed them.
	recent recent
}

// wake makes the subscribers read durable events.
func (t *topic) wake() {
	for sub := range t.subs {
		sub.wake()
	}
}

// packet is an event between processes.
type packet struct {
	Origin  string          `json:"o"`
	Session chat.SessionKey `json:"s"`
	Kind    chat.EventKind  `json:"k"`
	Data    json.RawMessage `json:"d,omitempty"`
}

// Kinds that only the bus uses.
const (
	kindWake  chat.EventKind = "wake"
	kindEnd   chat.EventKind = "end"
	kindHello chat.EventKind = "hello" // a process listens from now on
	// kindAccess reports that logins, tokens or runners may be invalid. The database sends it with the commit (AccessChanged).
	kindAccess chat.EventKind = "access"
)

// endData is the data of kindEnd: a turn, or the call of a background task.
type endData struct {
	Turn chat.TurnID `json:"turn_id,omitempty"`
	Call chat.CallID `json:"call_id,omitempty"`
}

// New returns a bus that serves this process. Run connects it to others.
func New(log *slog.Logger) *Bus {
	return &Bus{log: log, origin: rand.Text(), out: make(chan packet, 1024), topics: map[chat.SessionKey]*topic{}, guards: map[chan struct{}]struct{}{}}
}

// Append notifies subscribers of the session that durable events were committed.
func (b *Bus) Append(key chat.SessionKey, events []chat.Event) {
	b.mu.Lock()
	if t := b.topics[key]; t != nil {
		t.recent.add(events)
		t.wake()
	}
	b.mu.Unlock()
	b.send(packet{Session: key, Kind: kindWake})
}

// PublishDelta publishes a piece of a model's output.
func (b *Bus) PublishDelta(key chat.SessionKey, d chat.Delta) { b.publish(key, chat.EventDelta, d) }

// PublishOutput publishes a piece of a command's output.
func (b *Bus) PublishOutput(key chat.SessionKey, o chat.Output) { b.publish(key, chat.EventOutput, o) }

// End removes the live state of a turn that was closed: its durable events have all been written.
func (b *Bus) End(key chat.SessionKey, turn chat.TurnID) {
	b.publish(key, kindEnd, endData{Turn: turn})
}

// EndTask removes the live state of a background task that has ended.
func (b *Bus) EndTask(key chat.SessionKey, call chat.CallID) {
	b.publish(key, kindEnd, endData{Call: call})
}

// Below notifies the subscribers of a conversation of changes in its subagents, or their chats.
func (b *Bus) Below(key chat.SessionKey) { b.publish(key, chat.EventBelow, struct{}{}) }

// Act notifies the subscribers of a conversation that one of its clients has an action to execute. A row holds the action.
func (b *Bus) Act(key chat.SessionKey) { b.publish(key, chat.EventAction, struct{}{}) }

func (b *Bus) publish(key chat.SessionKey, kind chat.EventKind, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		b.log.Error("live event not encoded", "kind", kind, "error", err)
		return
	}
	b.deliver(packet{Session: key, Kind: kind, Data: data})
	b.send(packet{Session: key, Kind: kind, Data: data})
}

// send passes a packet to the notifier if another process listens.
func (b *Bus) send(p packet) {
	if !b.peers.Load() {
		return
	}
	p.Origin = b.origin
	select {
	case b.out <- p:
	default: // other processes poll for durable events and see gaps in live ones
	}
}

// deliver gives a packet to the subscribers of this process.
func (b *Bus) deliver(p packet) {
	switch p.Kind {
	case kindHello:
		return
	case kindWake:
		b.wakeLocal(p.Session)
		return
	case kindAccess:
		b.tellGuards()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.topic(p.Session)
	defer b.release(p.Session, t)
	if p.Kind == kindEnd {
		t.live.end(p.Data)
		return
	}
	event := chat.Event{Kind: p.Kind, Data: p.Data}
	switch p.Kind {
	case chat.EventBelow: // it has no live state
		pass(t.below, event)
	case chat.EventAction: // nor has this
	default:
		t.heard = time.Now()
		t.live.add(p.Kind, p.Data)
	}
	pass(t.subs, event)
}

// pass sends an event to the subscribers that do not lag behind too far.
func pass(subs map[*Subscription]struct{}, e chat.Event) {
	for sub := range subs {
		select {
		case sub.live <- e:
		default:
		}
	}
}

// wakeLocal makes the subscribers of a session read the rows: another process has committed durable events.
func (b *Bus) wakeLocal(key chat.SessionKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.topics[key]; t != nil {
		t.recent = recent{}
		t.wake()
	}
}

// forget removes old live state, so that events after the end of a turn do not stay forever.
func (b *Bus) forget(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, t := range b.topics {
		if now.Sub(t.heard) > liveAge {
			t.live = snapshot{}
			b.release(key, t)
		}
	}
}

// wakeAll makes every subscriber read rows again, after notifications may have been missed.
func (b *Bus) wakeAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.topics {
		t.recent = recent{}
		t.wake()
	}
}

// AccessChanges receives when logins, tokens or runners may be invalid: connections opened with them check again. It may be missed while the
// database is away. Call leave in the end.
func (b *Bus) AccessChanges() (changes <-chan struct{}, leave func()) {
	guard := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.guards[guard] = struct{}{}
	return guard, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.guards, guard)
	}
}

func (b *Bus) tellGuards() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for guard := range b.guards {
		select {
		case guard <- struct{}{}:
		default: // it has not asked since the last change
		}
	}
}

func (b *Bus) topic(key chat.SessionKey) *topic {
	t := b.topics[key]
	if t == nil {
		t = &topic{subs: map[*Subscription]struct{}{}, below: map[*Subscription]struct{}{}}
		b.topics[key] = t
	}
	return t
}

func (b *Bus) release(key chat.SessionKey, t *topic) {
	if len(t.subs) == 0 && len(t.below) == 0 && t.live.empty() {
		delete(b.topics, key)
	}
}

// Subscription is one watcher of one session. The caller must close it.
type Subscription struct {
	bus   *Bus
	key   chat.SessionKey
	top   chat.SessionKey // the conversation at the top of the session's tree; empty: it is no subagent
	live  chan chat.Event
	woken chan struct{}
}

// Subscribe starts watching a session. The current live state comes first on Live.
func (b *Bus) Subscribe(key chat.SessionKey) *Subscription { return b.SubscribeBelow("", key) }

// SubscribeBelow starts watching the session of a subagent, together with the events of its tree: top is the conversation at the top, and
// empty for a session that is no subagent.
func (b *Bus) SubscribeBelow(top, key chat.SessionKey) *Subscription {
	s := &Subscription{bus: b, key: key, top: top, live: make(chan chat.Event, liveBuffer), woken: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if top != "" {
		b.topic(top).below[s] = struct{}{}
	}
	t := b.topic(key)
	t.subs[s] = struct{}{}
	for _, e := range t.live.events() {
		s.live <- e // a snapshot is smaller than the buffer
	}
	return s
}

// Live delivers live events in order.
func (s *Subscription) Live() <-chan chat.Event { return s.live }

// Recent returns the durable events that follow one with this sequence, as far as this process has committed them: none, if there are none
// yet. known is false if there may be rows that the process does not know.
func (s *Subscription) Recent(after int64) (events []chat.Event, known bool) {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	if t := s.bus.topics[s.key]; t != nil {
		return t.recent.after(after)
	}
	return nil, false
}

// Woken receives after durable events were committed; several commits may share one.
func (s *Subscription) Woken() <-chan struct{} { return s.woken }

// Close stops the subscription.
func (s *Subscription) Close() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	for _, key := range []chat.SessionKey{s.key, s.top} {
		if t := s.bus.topics[key]; t != nil {
			delete(t.subs, s)
			delete(t.below, s)
			s.bus.release(key, t)
		}
	}
}

func (s *Subscription) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // a wake is pending already
	}
}

// Writing returns the model's current output, in consecutive pieces; none if there is no output.
func (s *Subscription) Writing() []chat.Delta {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	if t := s.bus.topics[s.key]; t != nil {
		return t.live.writing()
	}
	return nil
}

// Now returns the current live state: the text that the model writes, nil if none, and the last output of commands.
func (s *Subscription) Now() (*chat.Delta, []chat.Output) {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	t := s.bus.topics[s.key]
	if t == nil {
		return nil, nil
	}
	var writing *chat.Delta
	if t.live.delta != nil {
		writing = new(*t.live.delta)
	}
	return writing, slices.Concat(t.live.outputs, t.live.tasks)
}
