package policy

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // timezones are known on machines that have none, and the same ones everywhere
	"unicode"
	"unicode/utf8"

	"xbot/internal/chat"
)

// name is the form of names that stand in session keys as they are.
var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// policy checks the values of a document whose shape is right.
func (c *check) policy(p *Policy) {
	c.session(p.Session)
	c.queue(p.Messages.Queue)
	c.delivery(p.Messages.Delivery)
	c.agents(p)
	c.models(p.Models)
	for _, id := range slices.Sorted(maps.Keys(p.Channels)) {
		c.channelName("channels", id)
		c.channel(join("channels", id), p.Channels[id])
	}
	c.limits(p.Limits)
	c.memory(p.Memory)
	c.runners(p.Runners)
	c.oneOf("language", p.Language, "en", "zh")
	c.zone("cron.timezone", p.Cron.Timezone)
	c.oneOf("permissions.administrators", p.Permissions.Administrators, presets...)
	c.oneOf("permissions.others", p.Permissions.Others, presets...)
	c.oneOf("permissions.projectServers", p.Permissions.ProjectServers, ProjectServersOff, ProjectServersAdministrators, ProjectServersEverybody)
	for i, one := range p.DisabledSkills {
		if strings.TrimSpace(one) != one || one == "" || len(one) > maxSkillName {
			c.fault(sprintf("disabledSkills[%d]", i), "the name of a skill has 1 to %d bytes, and no space at its ends", maxSkillName)
		}
	}
}

// Who may agree to the servers of a file .mcp.json.
const (
	ProjectServersOff            = "off"
	ProjectServersAdministrators = "administrators"
	ProjectServersEverybody      = "everybody"
)

// MayAgreeToServers reports whether somebody may agree to the servers of a project's .mcp.json, and whether what they have agreed to is used.
func (p Permissions) MayAgreeToServers(admin bool) bool {
	return p.ProjectServers == ProjectServersEverybody || admin && p.ProjectServers != ProjectServersOff
}

// maxSkillName is 64 characters of at most four bytes.
const maxSkillName = 256

var presets = []string{string(chat.PresetReadOnly), string(chat.PresetAsk), string(chat.PresetAuto)}

// oneOf checks a word; an absent one is fine.
func (c *check) oneOf(path, got string, known ...string) {
	if got == "" || slices.Contains(known, got) {
		return
	}
	if near := nearest(got, known); near != "" {
		c.fault(path, "%q is not known; did you mean %q?", got, near)
		return
	}
	c.fault(path, "%q is not known; write one of %s", got, strings.Join(known, ", "))
}

// zone checks the name of a timezone; an absent one is fine. Local is none: it means something else on every machine.
func (c *check) zone(path, name string) {
	if _, err := time.LoadLocation(name); err != nil || strings.EqualFold(name, "local") {
		c.fault(path, "%q is not known; write a name such as Europe/Berlin or Asia/Shanghai", name)
	}
}

// within checks a number; 0 is the default.
func (c *check) within(path string, got, least, most int) {
	if got != 0 && (got < least || got > most) {
		c.fault(path, "%d is not between %d and %d", got, least, most)
	}
}

func (c *check) channelName(path, id string) {
	if !name.MatchString(id) {
		c.fault(join(path, id), "the name of a channel has letters, digits, dots, dashes and underscores only, at most 64")
	}
}

func (c *check) session(s Session) {
	c.oneOf("session.scope", s.Scope, ScopePerSender, ScopeGlobal)
	c.oneOf("session.dmScope", s.DMScope, DMMain, DMPerPeer, DMPerChannelPeer, DMPerAccountChannel)
	if s.MainKey != "" && !name.MatchString(s.MainKey) {
		c.fault("session.mainKey", "it has letters, digits, dots, dashes and underscores only, at most 64")
	}
	c.scopeNotes(s)
	c.links(s.IdentityLinks)
	c.resets(s)
	for i, trigger := range s.ResetTriggers {
		if strings.TrimSpace(trigger) != trigger || trigger == "" || len(trigger) > 100 {
			c.fault(sprintf("session.resetTriggers[%d]", i), "a trigger has 1 to 100 bytes, and no space at its ends")
		}
	}
	c.sendPolicy(s.SendPolicy)
	if s.Store != "" {
		c.note("session.store", "has no effect: conversations are kept in Postgres")
	}
}

func (c *check) scopeNotes(s Session) {
	switch {
	case s.Scope == ScopeGlobal:
		c.note("session.scope", "global: everybody, and every group, shares one conversation and reads what others wrote in it")
	case s.DMScope == DMMain:
		c.note("session.dmScope", "main: everybody who writes to the bot directly shares one conversation and reads what others wrote in it; per-channel-peer keeps them apart")
	case s.DMScope == DMPerPeer:
		c.note("session.dmScope", "per-peer: the same id on two channels is taken for the same person; per-channel-peer keeps them apart")
	}
}

// links checks identityLinks: an id belongs to one person, and a name cannot be mistaken for an id.
func (c *check) links(links map[string][]string) {
	owner := map[string]string{}
	for _, person := range slices.Sorted(maps.Keys(links)) {
		path := join("session.identityLinks", person)
		if !isPersonName(person) {
			c.fault(path, "the name of a person has 1 to %d printable characters, no colon, and single spaces only between its words", maxPersonName)
		}
		for i, id := range links[person] {
			at := sprintf("%s[%d]", path, i)
			channel, peer, ok := strings.Cut(id, ":")
			switch {
			case !ok || !name.MatchString(channel) || peer == "":
				c.fault(at, "%q is not of the form channel:id, such as telegram:123456789", id)
			case owner[id] != "" && owner[id] != person:
				c.fault(at, "%s belongs to %s already", id, owner[id])
			}
			owner[id] = person
		}
	}
}

// maxPersonName bounds the name of a person in characters.
const maxPersonName = 64

// isPersonName reports whether a name of identityLinks cannot be mistaken for another one.
func isPersonName(name string) bool {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	return name != "" && utf8.RuneCountInString(name) <= maxPersonName && strings.Join(strings.Fields(name), " ") == name &&
		!strings.Contains(name, ":") && !strings.ContainsFunc(name, hidden)
}

func (c *check) resets(s Session) {
	if s.Reset != nil {
		c.reset("session.reset", *s.Reset)
	}
	for _, t := range slices.Sorted(maps.Keys(s.ResetByType)) {
		path := join("session.resetByType", t)
		c.oneOf(path, t, "direct", "dm", "group", "channel", "thread")
		if t == "dm" {
			c.note(path, "is the older name of direct")
			if _, both := s.ResetByType["direct"]; both {
				c.fault(path, "direct is set as well, and both mean the same: keep one")
			}
		}
		c.reset(path, s.ResetByType[t])
	}
	for _, id := range slices.Sorted(maps.Keys(s.ResetByChannel)) {
		c.channelName("session.resetByChannel", id)
		c.reset(join("session.resetByChannel", id), s.ResetByChannel[id])
	}
	c.within("session.idleMinutes", s.IdleMinutes, 1, maxMinutes)
	switch {
	case s.IdleMinutes == 0:
	case s.Reset != nil || len(s.ResetByType) > 0:
		c.note("session.idleMinutes", "has no effect beside reset and resetByType: write idleMinutes into them")
	default:
		c.note("session.idleMinutes", "alone is the older form of reset: { mode: \"idle\", idleMinutes: %d }", s.IdleMinutes)
	}
}

// maxMinutes is ten years.
const maxMinutes = 10 * 366 * 24 * 60

func (c *check) reset(path string, r Reset) {
	c.oneOf(path+".mode", r.Mode, ResetNone, ResetDaily, ResetIdle)
	c.within(path+".idleMinutes", r.IdleMinutes, 1, maxMinutes)
	if r.AtHour != nil && (*r.AtHour < 0 || *r.AtHour > 23) {
		c.fault(path+".atHour", "%d is no hour of the day; write 0 to 23", *r.AtHour)
	}
	if _, err := time.LoadLocation(r.Timezone); err != nil {
		c.fault(path+".timezone", "%q is not known; write a name such as Europe/Berlin or Asia/Shanghai", r.Timezone)
	}
	switch {
	case r.Mode == ResetIdle && r.IdleMinutes == 0:
		c.fault(path+".idleMinutes", "mode idle needs it")
	case r.Mode == ResetIdle && r.AtHour != nil:
		c.note(path+".atHour", "has no effect with mode idle; mode daily with idleMinutes has both")
	case r.Mode == ResetNone && (r.AtHour != nil || r.IdleMinutes != 0):
		c.note(path, "mode none: the hour and the idle minutes have no effect")
	}
}

func (c *check) sendPolicy(s *SendPolicy) {
	if s == nil {
		return
	}
	c.oneOf("session.sendPolicy.default", s.Default, "allow", "deny")
	for i, rule := range s.Rules {
		path := sprintf("session.sendPolicy.rules[%d]", i)
		if rule.Action == "" {
			c.fault(path+".action", "write allow or deny")
		}
		c.oneOf(path+".action", rule.Action, "allow", "deny")
		c.oneOf(path+".match.chatType", rule.Match.ChatType, "direct", "dm", "group", "channel", "thread", "cron", "hook")
	}
}

func (c *check) queue(q Queue) {
	c.mode("messages.queue.mode", q.Mode)
	for _, id := range slices.Sorted(maps.Keys(q.ByChannel)) {
		c.channelName("messages.queue.byChannel", id)
		c.mode(join("messages.queue.byChannel", id), q.ByChannel[id])
	}
	c.within("messages.queue.debounceMs", q.DebounceMS, 1, 60_000)
	c.within("messages.queue.cap", q.Cap, 1, 1000)
	c.oneOf("messages.queue.drop", string(q.Drop), string(chat.DropReject), string(chat.DropNew), string(chat.DropOld), string(chat.DropSummarize))
}

func (c *check) mode(path string, m chat.QueueMode) {
	c.oneOf(path, string(m), string(chat.QueueSteer), string(chat.QueueFollowup), string(chat.QueueCollect), string(chat.QueueInterrupt), string(chat.QueueSupersede))
}

func (c *check) limits(l Limits) {
	c.within("limits.turns", l.Turns, 1, 10_000)
	c.within("limits.userTurns", l.UserTurns, 1, 10_000)
	c.within("limits.ownKeyTurns", l.OwnKeyTurns, 1, 10_000)
	c.within("limits.providerWaitMinutes", l.ProviderWaitMinutes, 1, maxWait)
	c.within("limits.llm.global", l.LLM.Global, 1, 10_000)
	c.within("limits.llm.personal", l.LLM.Personal, 1, 10_000)
	c.within("limits.llm.subagent", l.LLM.Subagent, 1, 10_000)
	c.within("limits.subagents.depth", l.Subagents.Depth, 1, 20)
	c.within("limits.subagents.perTurn", l.Subagents.PerTurn, 1, 1000)
	c.within("limits.subagents.running", l.Subagents.Running, 1, 1000)
	c.within("limits.subagents.tokens", l.Subagents.Tokens, 1000, 1_000_000_000)
	c.within("limits.person.sessions", l.Person.Sessions, 1, 1_000_000)
	c.within("limits.person.runners", l.Person.Runners, 1, 10_000)
	c.within("limits.person.tokens", l.Person.Tokens, 1, 10_000)
	c.within("limits.person.storage", l.Person.Storage, 1, 100_000_000)
	c.within("limits.person.voice", l.Person.Voice, 1, 24*60)
	c.within("limits.media.pictures", l.Media.Pictures, 1, 1_000_000)
	c.within("limits.media.characters", l.Media.Characters, 1, 1_000_000_000)
	c.within("limits.media.seconds", l.Media.Seconds, 1, 1_000_000)
	c.within("limits.media.atOnce", l.Media.AtOnce, 1, 1000)
}
