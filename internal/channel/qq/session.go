package qq

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"xbot/internal/channel"
)

// sessionKey is the key of the session in the account's memory.
const sessionKey = "session"

// session is the place in the stream of events.
type session struct {
	App    string    `json:"app"`
	Wanted int       `json:"wanted"` // the intents of level 0: with other settings, another session is wanted
	ID     string    `json:"id"`     // empty: there is none to resume
	Seq    int64     `json:"seq"`    // of the last event that was committed
	Level  int       `json:"level"`  // index in levels
	Tried  time.Time `json:"tried"`  // when level 0 was requested last
	Bot    person    `json:"bot"`
}

// retryFull is how long a bot keeps a lower level before a new session asks for everything again.
const retryFull = 24 * time.Hour

// begin prepares for a new session: permissions may have come since the last one.
func (s *session) begin(now time.Time) {
	if now.Sub(s.Tried) > retryFull {
		s.Level = 0
	}
	if s.Level == 0 {
		s.Tried = now
	}
}

// keeper holds the session. It saves the position in the stream periodically, because an older one only costs repeated events;
// it saves the session's name at once (save), because with an older one events that come while no process runs would be lost.
type keeper struct {
	memory channel.Memory

	saving sync.Mutex // held by the writer
	saved  session

	mu  sync.Mutex
	now session
}

// load reads the session of the last process, before any other use of the keeper. Events it was refused are requested again
// with the next session.
func (k *keeper) load(ctx context.Context, set settings) error {
	levels := set.levels()
	k.now = session{App: set.appID, Wanted: levels[0].intents}
	if k.memory == nil {
		return nil
	}
	raw, err := k.memory.Load(ctx, sessionKey)
	if err != nil {
		return err
	}
	var was session
	if json.Unmarshal(raw, &was) == nil && was.App == k.now.App && was.Wanted == k.now.Wanted && was.Level >= 0 && was.Level < len(levels) {
		k.now = was
		k.now.Tried = time.Time{}
	}
	k.saved = k.now
	return nil
}

func (k *keeper) get() session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

func (k *keeper) change(f func(*session)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(&k.now)
}

// forget drops the session; the events since then are lost on the platform's side.
func (k *keeper) forget() {
	k.change(func(s *session) { s.ID, s.Seq = "", 0 })
}

// saveTime bounds one save.
const saveTime = 5 * time.Second

// save writes the session if it has changed, also when ctx has ended.
func (k *keeper) save(ctx context.Context) error {
	k.saving.Lock()
	defer k.saving.Unlock()
	now := k.get()
	if k.memory == nil || now == k.saved {
		return nil
	}
	raw, err := json.Marshal(now)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if err := k.memory.Save(ctx, sessionKey, raw); err != nil {
		return err
	}
	k.saved = now
	return nil
}

// run saves until ctx ends, and once more then. A save that fails is tried again at the next turn.
func (k *keeper) run(ctx context.Context, every time.Duration) {
	for channel.Rest(ctx, every) {
		_ = k.save(ctx) // the next one is a moment away
	}
	_ = k.save(ctx) // an older place is good enough
}
