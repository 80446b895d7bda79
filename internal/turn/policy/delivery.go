package policy

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// What may become of late answers.
const (
	LateDeliver = "deliver"
	LateDrop    = "drop"
)

// Defaults of a delivery, in minutes.
const (
	defaultMaxAge    = 24 * 60
	defaultLateAfter = 10
)

// Waiting is how long an answer may wait for its platform.
type Waiting struct {
	MaxAge time.Duration // what is older is not delivered
	Late   time.Duration // what is older says when it was written
}

// Delivery says how long an answer on a channel may wait: the channel's own setting before the general one and the default.
func (p *Policy) Delivery(channel string) Waiting {
	d := p.Messages.Delivery
	own := d.ByChannel[channel]
	w := Waiting{
		MaxAge: time.Duration(cmp.Or(own.MaxAgeMinutes, d.MaxAgeMinutes, defaultMaxAge)) * time.Minute,
		Late:   time.Duration(cmp.Or(own.LateAfterMinutes, d.LateAfterMinutes, defaultLateAfter)) * time.Minute,
	}
	if cmp.Or(own.Late, d.Late) == LateDrop {
		w.MaxAge = min(w.MaxAge, w.Late)
	}
	return w
}

// delivery checks how long answers wait.
func (c *check) delivery(d Delivery) {
	const path = "messages.delivery"
	c.lateness(path, Lateness{d.MaxAgeMinutes, d.LateAfterMinutes, d.Late})
	for _, id := range slices.Sorted(maps.Keys(d.ByChannel)) {
		c.channelName(path+".byChannel", id)
		c.lateness(join(path+".byChannel", id), d.ByChannel[id])
	}
}

// maxWait is how long an answer may wait at most, in minutes: a week.
const maxWait = 7 * 24 * 60

func (c *check) lateness(path string, l Lateness) {
	c.within(path+".maxAgeMinutes", l.MaxAgeMinutes, 1, maxWait)
	c.within(path+".lateAfterMinutes", l.LateAfterMinutes, 1, maxWait)
	c.oneOf(path+".late", l.Late, LateDeliver, LateDrop)
}
