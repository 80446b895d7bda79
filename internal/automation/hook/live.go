package hook

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"xbot/internal/chat"
)

// Doc is the text of a project's hooks file.
type Doc struct {
	Source string `json:"source"` // its path
	Layer  Layer  `json:"layer"`
	Text   []byte `json:"text"`
	// Programs reports whether its commands name files of the folder, which may have changed at the next event.
	Programs bool `json:"programs,omitempty"`
}

// Projects reads the hooks files of the project that a conversation works in, .xbot/hooks.json and .xbot/hooks.local.json in its folder, if they
// exist and the user has agreed to them.
type Projects interface {
	Hooks(ctx context.Context, key chat.SessionKey) ([]Doc, error)
}

// Live holds the current hooks. The administrator's file is checked each time, those of a project every two seconds.
// It is safe for concurrent use.
type Live struct {
	File     string // the administrator's; it need not exist
	Grants   Grants
	Projects Projects // asked where the administrator's file has project_hooks; nil: there are none
	Plugins  Plugins  // nil: there are none
	Log      *slog.Logger

	mu       sync.Mutex
	stamp    stamp
	home     Config
	alone    Set // of the administrator's file only
	projects map[chat.SessionKey]cachedSet
	told     map[string]bool // faults that were logged
}

// stamp identifies a state of a file.
type stamp struct {
	there bool
	size  int64
	mod   time.Time
}

// cachedSet is the cached set of a conversation.
type cachedSet struct {
	set   Set
	stamp stamp
	at    time.Time
}

const (
	freshness = 2 * time.Second // maximum age of the cached state of a project
	maxSeen   = 256             // projects that are cached
	readTime  = 3 * time.Second // for the files of a project
)

// For returns the hooks of a conversation. Files that cannot be read are a fault of the set.
func (l *Live) For(ctx context.Context, key chat.SessionKey) Set {
	return l.withPlugins(ctx, l.ofFiles(ctx, key))
}

func (l *Live) withPlugins(ctx context.Context, s Set) Set {
	if l.Plugins == nil {
		return s
	}
	handlers, faults := l.Plugins.Hooks(ctx)
	s = s.With(handlers, faults)
	l.notify(s)
	return s
}

func (l *Live) ofFiles(ctx context.Context, key chat.SessionKey) Set {
	home, alone, is := l.look()
	if !home.Projects || l.Projects == nil {
		return alone
	}
	if set, ok := l.known(key, is); ok {
		return set
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	docs, err := l.Projects.Hooks(ctx, key)
	if err != nil {
		set := Merge(home, Config{Faults: []Fault{{Source: "the project's hooks files", Text: "they cannot be read: " + err.Error()}}})
		l.notify(set)
		return set
	}
	configs := make([]Config, len(docs))
	for i, d := range docs {
		configs[i] = Parse(d.Text, d.Source, d.Layer, l.Grants)
	}
	set := Merge(home, configs...)
	l.notify(set)
	// Do not cache that there are none: the user may agree to them before the next event.
	if len(docs) > 0 && !slices.ContainsFunc(docs, func(d Doc) bool { return d.Programs }) {
		l.remember(key, cachedSet{set, is, time.Now()})
	}
	return set
}

// ProjectHooks reports whether the administrator's file enables hooks of projects.
func (l *Live) ProjectHooks() bool {
	home, _, _ := l.look()
	return home.Projects
}

// Home returns the hooks of the administrator's file alone.
func (l *Live) Home() Set {
	_, alone, _ := l.look()
	return alone
}

// look reads the administrator's file again if it has changed.
func (l *Live) look() (Config, Set, stamp) {
	is := l.stat()
	l.mu.Lock()
	defer l.mu.Unlock()
	if is != l.stamp {
		l.home = l.read()
		l.alone, l.stamp = Merge(l.home), is
		l.log(l.alone)
	}
	return l.home, l.alone, is
}

func (l *Live) stat() stamp {
	info, err := os.Stat(l.File)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}
	}
	if err != nil {
		return stamp{there: true, size: -1} // unreadable: read returns the reason
	}
	return stamp{there: true, size: info.Size(), mod: info.ModTime()}
}

func (l *Live) read() Config {
	text, err := os.ReadFile(l.File)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}
	}
	if err != nil {
		return Config{Faults: []Fault{{Source: l.File, Text: "it cannot be read: " + err.Error()}}}
	}
	return Parse(text, l.File, LayerHome, l.Grants)
}

func (l *Live) known(key chat.SessionKey, is stamp) (Set, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.projects[key]
	if !ok || s.stamp != is || time.Since(s.at) > freshness {
		return Set{}, false
	}
	return s.set, true
}

func (l *Live) remember(key chat.SessionKey, s cachedSet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.projects == nil || len(l.projects) >= maxSeen {
		l.projects = map[chat.SessionKey]cachedSet{}
	}
	l.projects[key] = s
}

func (l *Live) notify(s Set) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log(s)
}

// log logs each fault once.
func (l *Live) log(s Set) {
	for _, f := range s.faults {
		if l.told[f.String()] || l.Log == nil {
			continue
		}
		if l.told == nil || len(l.told) > maxSeen {
			l.told = map[string]bool{}
		}
		l.told[f.String()] = true
		l.Log.Warn("a hooks file is wrong", "file", f.Source, "place", f.Place, "event", f.Event, "error", f.Text)
	}
}
