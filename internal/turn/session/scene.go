package session

import (
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

// Route is the destination that the scene router chose for a message.
type Route string

// The routes.
const (
	RouteNone    Route = ""     // no scenes are used there: Addressed decides
	RouteDrop    Route = "drop" // not for this bot; it may still be overheard
	RouteChat    Route = "chat" // the conversation of the chat, as For names it
	RouteWork    Route = "work" // the work session Key
	RouteNewWork Route = "new"  // a work session that begins with the message Seed, as Work names it
)

// SceneVerdict is the result of the scene router for a message.
type SceneVerdict struct {
	Route Route
	Key   chat.SessionKey // of a work session that exists
	Seed  string          // id of the message that begins one
	Text  string          // without prefix and tag; it may be empty if work begins
	// Scene are the settings of the scene, also if a command entered it while it is disabled.
	Scene policy.Scene
	Hints bool // whether the model gets the names of the senders
	// Aliases are the names by which to find the work session from now on.
	Aliases []string
}

// Scene decides between the chat and the work of a place. known finds work sessions by their aliases. Messages reach a work
// session from the thread, its first message, or an answer in it. Several bots in one group keep apart: a command in a thread that this bot
// does not know belongs to another one, and so does a tag if this bot is not named.
func Scene(c policy.Channel, e chat.Envelope, known func(alias string) (chat.SessionKey, bool)) SceneVerdict {
	r := router{c: c, e: e, known: known, scenes: c.PrivateScenes, text: strings.TrimSpace(e.Text), triggered: true, named: true}
	if r.inGroup() {
		r.scenes = c.GroupScenes
	}
	if !r.scenes.Chat.Enabled && !r.scenes.Work.Enabled {
		return SceneVerdict{Route: RouteNone, Text: r.text}
	}
	r.command = IsCommand(r.text)
	if r.inGroup() && !r.trigger() {
		return SceneVerdict{Route: RouteDrop, Text: r.text}
	}
	return r.route()
}

// router routes one message.
type router struct {
	c      policy.Channel
	e      chat.Envelope
	known  func(string) (chat.SessionKey, bool)
	scenes policy.Scenes

	text      string
	command   bool // it has the form of a command
	triggered bool // it is for this bot
	named     bool // it names this bot, which is stricter: with some trigger modes every message is for every bot
}

func (r *router) inGroup() bool { return r.e.ChatType != chat.ChatDirect && r.e.ChatType != "" }

// trigger checks whether a group message addresses the bot, and removes the prefix that does so. It returns false for messages that are
// expressly not for it.
func (r *router) trigger() bool {
	r.named = mentions(r.c, r.e)
	group, _ := r.c.Group(r.e.Chat)
	r.triggered = r.command || triggered(r.c, r.e) || group.RequireMention != nil && !*group.RequireMention
	prefix := strings.TrimSpace(r.c.TriggerPrefix)
	if prefix == "" || r.command {
		return true
	}
	rest, has := cutPrefix(r.text, prefix)
	switch {
	case has && r.c.TriggerMode == policy.TriggerPrefix:
		r.text, r.triggered, r.named = rest, true, true
	case has && r.c.TriggerMode == policy.TriggerWithoutPrefix:
		return false
	}
	return true
}

// route checks in order: a work session that exists, messages for another bot, new work, the chat.
func (r *router) route() SceneVerdict {
	drop := SceneVerdict{Route: RouteDrop, Text: r.text}
	rest, tagged := cutTag(r.text, r.scenes.Work.TriggerTag)
	if r.scenes.Work.Enabled {
		if key, missing, found := r.session(); found {
			if !r.triggered {
				return drop
			}
			return r.worksOn(SceneVerdict{Route: RouteWork, Key: key, Text: rest, Aliases: missing})
		}
	}
	if r.command && r.inThread() && !r.named {
		return drop
	}
	if r.scenes.Work.Enabled && r.triggered {
		if verdict, ok := r.active(rest); ok {
			return verdict
		}
		if tagged && r.named {
			return r.begin(rest)
		}
	}
	switch {
	case tagged && !r.named:
		return drop
	case r.scenes.Chat.Enabled || r.command:
		return SceneVerdict{Route: RouteChat, Text: r.text, Scene: r.scenes.Chat, Hints: hints(r.scenes.Chat, true)}
	}
	return drop
}

// active finds the work session whose turn is running in a chat while its thread has no known id yet.
func (r *router) active(text string) (SceneVerdict, bool) {
	if r.e.Thread == "" {
		return SceneVerdict{}, false
	}
	key, ok := r.known(ActiveAlias(r.e))
	if !ok {
		return SceneVerdict{}, false
	}
	return r.worksOn(SceneVerdict{Route: RouteWork, Key: key, Text: text, Aliases: []string{ThreadAlias(r.e, r.e.Thread)}}), true
}

func (r *router) begin(text string) SceneVerdict {
	names := []string{MessageAlias(r.e, r.e.ID)}
	if r.e.Thread != "" {
		names = append(names, ThreadAlias(r.e, r.e.Thread))
	}
	return r.worksOn(SceneVerdict{Route: RouteNewWork, Seed: r.e.ID, Text: text, Aliases: names})
}

// session finds the work session of a thread by its id, its first message, or the message that is answered. missing are those of these names
// that were not known yet.
func (r *router) session() (key chat.SessionKey, missing []string, found bool) {
	var names []string
	if r.e.Thread != "" {
		names = append(names, ThreadAlias(r.e, r.e.Thread))
	}
	if r.e.Root != "" {
		names = append(names, MessageAlias(r.e, r.e.Root))
	}
	if r.e.Parent != "" && r.e.Parent != r.e.Root {
		names = append(names, MessageAlias(r.e, r.e.Parent))
	}
	for _, name := range names {
		switch has, ok := r.known(name); {
		case !ok:
			missing = append(missing, name)
		case !found:
			key, found = has, true
		}
	}
	return key, missing, found
}

func (r *router) inThread() bool { return r.e.Thread != "" || r.e.Root != "" }

func (r *router) worksOn(v SceneVerdict) SceneVerdict {
	v.Scene, v.Hints = r.scenes.Work, hints(r.scenes.Work, false)
	return v
}

// hints reports whether the model gets the names of the senders.
func hints(s policy.Scene, otherwise bool) bool {
	if s.DisableIdentityHints != nil {
		return !*s.DisableIdentityHints
	}
	return otherwise
}

// cutTag removes the first tag from a text, ignoring case. A longer word that begins like the tag is not the tag.
func cutTag(text, tag string) (rest string, ok bool) {
	if tag == "" {
		return text, false
	}
	for i := 0; i+len(tag) <= len(text); i++ {
		end := i + len(tag)
		if !utf8.RuneStart(text[i]) || !strings.EqualFold(text[i:end], tag) || end < len(text) && isWordByte(text[end]) {
			continue
		}
		return strings.TrimSpace(strings.TrimSpace(text[:i]) + " " + strings.TrimSpace(text[end:])), true
	}
	return text, false
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
