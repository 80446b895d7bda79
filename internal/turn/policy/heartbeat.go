package policy

import (
	"slices"
	"strings"
	"time"
)

// Heartbeat has an agent look after things by itself, in a conversation of its own.
type Heartbeat struct {
	Every       string `json:"every,omitempty"` // a duration such as 30m; absent: there is none
	ActiveHours Hours  `json:"activeHours,omitzero"`
	Prompt      string `json:"prompt,omitempty"` // path of a HEARTBEAT.md in XBOT_HOME (default), or its text
	Target      string `json:"target,omitempty"` // none (default) | last: where its person wrote last
	// People are whose things it looks after, by their names: each has one of their own. Default: the first administrator.
	People []string `json:"people,omitempty"`
}

// Hours are those of a day. An end before the start is on the next day.
type Hours struct {
	Start    string `json:"start,omitempty"` // such as 08:00; default: the beginning of the day
	End      string `json:"end,omitempty"`   // such as 22:00; default: its end
	Timezone string `json:"timezone,omitempty"`
}

// maxBeats is how many people one heartbeat may be for: each costs a turn.
const maxBeats = 100

// clockForm is how a time of the day is written.
const clockForm = "15:04"

// Hold reports whether an instant is within the hours. server is the timezone where none is named.
func (h Hours) Hold(at time.Time, server *time.Location) bool {
	if zone, err := time.LoadLocation(h.Timezone); err == nil && h.Timezone != "" {
		server = zone
	}
	at = at.In(server)
	now, start, end := at.Hour()*60+at.Minute(), minuteOf(h.Start, 0), minuteOf(h.End, 24*60)
	if start <= end {
		return start <= now && now < end
	}
	return now >= start || now < end
}

func minuteOf(text string, absent int) int {
	at, err := time.Parse(clockForm, text)
	if err != nil {
		return absent
	}
	return at.Hour()*60 + at.Minute()
}

// heartbeat checks one of an agent.
func (c *check) heartbeat(path string, h Heartbeat) {
	if h.Every == "" && h.ActiveHours == (Hours{}) && h.Prompt == "" && h.Target == "" && len(h.People) == 0 {
		return
	}
	for i, person := range h.People {
		if strings.TrimSpace(person) == "" || slices.Contains(h.People[:i], person) {
			c.fault(sprintf("%s.people[%d]", path, i), "write the name of a user, each once")
		}
	}
	if len(h.People) > maxBeats {
		c.fault(path+".people", "there are %d; a heartbeat is for %d people at most", len(h.People), maxBeats)
	}
	if every, err := time.ParseDuration(h.Every); err != nil || every < time.Minute || every > 24*time.Hour {
		c.fault(path+".every", "write a duration between 1m and 24h, such as 30m")
	}
	for member, text := range map[string]string{"start": h.ActiveHours.Start, "end": h.ActiveHours.End} {
		if _, err := time.Parse(clockForm, text); text != "" && err != nil {
			c.fault(path+".activeHours."+member, "%q is no time of the day; write one such as 08:00", text)
		}
	}
	if _, err := time.LoadLocation(h.ActiveHours.Timezone); err != nil {
		c.fault(path+".activeHours.timezone", "%q is not known; write a name such as Europe/Berlin or Asia/Shanghai", h.ActiveHours.Timezone)
	}
	c.oneOf(path+".target", h.Target, "none", "last")
}
