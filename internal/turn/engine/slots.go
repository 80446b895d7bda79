package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/policy"
)

// The number of running turns is limited. A turn that is marked running is the slot: it is durable, and the relay settles it
// when its run dies. A claim without a free slot takes nothing and queues its session. After the commit that ends a turn,
// the freed slot is granted to the first session in the queue and reserved for a while, so that no later session gets it
// first.
//
// Claims near the limit hold SlotLock, one at a time, so they are exact. Far from it they only hold one of a few lanes: lanes
// limits how many may run without counting each other, and so how near the limit they may come.

// lanes is how many claims may be under way without SlotLock.
const lanes = 16

// slotKept is how long a freed slot is reserved for the session that got it.
const slotKept = 10 * time.Second

// Waiting is an inbox row that waits for a turn.
type Waiting struct {
	Inbox   chat.InboxID
	Session chat.SessionKey
	User    chat.UserID
	Channel string
	Text    string
}

// Wake returns the wake of its turn.
func (w Waiting) Wake() chat.Wake {
	return chat.Wake{Kind: chat.WakeTurn, ID: string(w.Session), Channel: w.Channel, User: w.User, Text: w.Text}
}

// slotClaim is a claim of a slot under way.
type slotClaim struct {
	most  policy.Limits
	alone bool // no other claim runs in the meantime
	far   bool // far from the limit of turns
	// inLine is true if there was no free slot, and the session is queued for one.
	inLine bool
}

// errCrowded rolls back a claim that has to be alone.
var errCrowded = errors.New("close to a limit of turns")

// taking runs a claim: in a lane if the limit is far, else alone.
func (s *Store) taking(ctx context.Context, claim func(tx *pg.Tx, slot *slotClaim) error) error {
	most, err := s.stores.Quota.Caps(ctx)
	if err != nil {
		return err
	}
	if !s.crowded.Load() {
		err = s.db.InTx(ctx, func(tx *pg.Tx) error { return claim(tx, &slotClaim{most: most}) })
		if !errors.Is(err, errCrowded) {
			return err
		}
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := lockSlots(ctx, tx); err != nil {
			return err
		}
		slot := &slotClaim{most: most, alone: true}
		tx.AfterCommit(func() { s.crowded.Store(!slot.far) })
		return claim(tx, slot)
	})
}

func lockSlots(ctx context.Context, t *pg.Tx) error {
	if err := dbsqlc.Q.SlotLock(ctx, t); err != nil {
		return fmt.Errorf("lock the line of turns: %w", err)
	}
	return nil
}

// enterLane finds the running turn of a session and goes into a lane.
func enterLane(ctx context.Context, t *pg.Tx, slot *slotClaim, key chat.SessionKey) (running chat.TurnID, err error) {
	lane := rand.Int32N(lanes) // spreads claims, and keeps no secret
	row, err := dbsqlc.Q.SlotEnter(ctx, t, dbsqlc.SlotEnterParams{
		Session: key, Alone: slot.alone, Lane: 1 + lane, OtherLane: 1 + (lane+lanes/2)%lanes,
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("look for an earlier turn: %w", err)
	case !row.Entered:
		return "", fault.Errorf(fault.Unavailable, "%w", errCrowded)
	}
	return chat.TurnID(row.Running), nil
}

// acquireSlot reports whether the session may begin a turn. If not, the session is queued. A subagent needs no slot.
func acquireSlot(ctx context.Context, t *pg.Tx, slot *slotClaim, key chat.SessionKey) (bool, error) {
	view, err := dbsqlc.Q.SlotView(ctx, t, key)
	if err != nil {
		return false, fmt.Errorf("count turns: %w", err)
	}
	if view.Subagent {
		return true, nil
	}
	most := slot.most
	own := mostOf(most, view.Own)
	far := int(view.Busy)+lanes <= most.Turns
	if !slot.alone {
		if far && own == 0 {
			return true, nil
		}
		return false, fault.Errorf(fault.Unavailable, "%w", errCrowded)
	}
	slot.far = far
	free := int(view.Busy) < most.Turns && (own == 0 || int(view.BusyOfTenant) < own)
	switch {
	case view.Granted:
		return true, dbsqlc.Q.SlotUse(ctx, t, key)
	case free && !view.Line:
		return true, nil
	}
	return queueFor(ctx, t, key, slot, int(view.Busy) < most.Turns)
}

// mostOf returns how many concurrent turns a tenant may have, or 0 if it has no separate limit.
func mostOf(most policy.Limits, ownModel bool) int {
	if ownModel {
		return most.OwnKeyTurns
	}
	return most.UserTurns
}

// queueFor queues the session, grants the free slots, and reports whether the session got one.
func queueFor(ctx context.Context, t *pg.Tx, key chat.SessionKey, slot *slotClaim, free bool) (bool, error) {
	row, err := dbsqlc.Q.SlotWait(ctx, t, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("stand in line: %w", err)
	}
	var granted []Waiting
	if free {
		if granted, _, err = grantSlots(ctx, t, slot.most); err != nil {
			return false, err
		}
	}
	slot.inLine = true
	mine := false
	for _, w := range granted {
		if w.Session == key {
			mine = true
			continue
		}
		t.Wake(w.Wake())
	}
	if mine {
		return true, dbsqlc.Q.SlotUse(ctx, t, key)
	}
	if row.Fresh && row.Kind != calls.KindBackground {
		t.Emit(key, chat.EventQueued, chat.Queued{
			Inbox: row.ID, ClientMessageID: row.PlatformID, Text: conversation.WordsOf(row.Body, row.Options), Mode: row.Mode, Sender: row.Sender, Throttled: true,
		})
	}
	return false, nil
}

// grantSlots grants the free slots to the first sessions in the queue. late counts sessions that did not use theirs in time. The
// caller holds the lock.
func grantSlots(ctx context.Context, t *pg.Tx, most policy.Limits) (granted []Waiting, late int, err error) {
	expired, err := dbsqlc.Q.SlotExpire(ctx, t)
	if err != nil {
		return nil, 0, fmt.Errorf("take back turns that nobody used: %w", err)
	}
	rows, err := dbsqlc.Q.SlotGrant(ctx, t, dbsqlc.SlotGrantParams{
		Turns: int32(most.Turns), UserTurns: int32(most.UserTurns), OwnKeyTurns: int32(most.OwnKeyTurns), Kept: pg.Interval(slotKept),
	})
	if err != nil {
		return nil, 0, fmt.Errorf("hand out turns: %w", err)
	}
	out := make([]Waiting, len(rows))
	for i, r := range rows {
		out[i] = Waiting{Inbox: r.ID, Session: r.SessionKey, User: r.UserID, Channel: r.Channel, Text: r.Body}
	}
	return out, len(expired), nil
}

// GrantTurns grants free slots to the first sessions in the queue and wakes them. late counts sessions that did not use
// theirs in time and went to the end of the queue. It is called after everything that may free a slot; if no session is
// queued it is one short query.
func (s *Store) GrantTurns(ctx context.Context) (late int, err error) {
	line, err := dbsqlc.Q.SlotLine(ctx, s.db.Pool)
	if err != nil {
		return 0, pg.Classify(fmt.Errorf("look who waits for a turn: %w", err))
	}
	if !line {
		return 0, nil
	}
	most, err := s.stores.Quota.Caps(ctx)
	if err != nil {
		return 0, err
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		tx.AfterCommit(func() { s.crowded.Store(true) })
		if err := lockSlots(ctx, tx); err != nil {
			return err
		}
		granted, expired, err := grantSlots(ctx, tx, most)
		for _, w := range granted {
			tx.Wake(w.Wake())
		}
		late = expired
		return err
	})
	return late, err
}

// TenantTurns are the turns of a tenant: the user of sessions, which may be a group.
type TenantTurns struct {
	User    chat.UserID
	Name    string
	Running int
	Kept    int           // free, and reserved for a session that was queued
	Waiting int           // sessions in the queue
	Longest time.Duration // how long the first of them waits
}

// TurnsByTenant returns the tenants that have turns or wait for one.
func (s *Store) TurnsByTenant(ctx context.Context) ([]TenantTurns, error) {
	rows, err := dbsqlc.Q.SlotTenants(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("count turns by tenant: %w", err))
	}
	out := make([]TenantTurns, len(rows))
	for i, r := range rows {
		out[i] = TenantTurns{
			User: r.UserID, Name: r.Name, Running: int(r.Running), Kept: int(r.Kept), Waiting: int(r.Waiting),
			Longest: time.Duration(r.Longest * float64(time.Second)),
		}
	}
	return out, nil
}

// Throttled returns messages that wait for a free turn for the given time and whose sender got no notice yet.
func (s *Store) Throttled(ctx context.Context, older time.Duration) ([]Waiting, error) {
	rows, err := dbsqlc.Q.SlotUntold(ctx, s.db.Pool, pg.Interval(older))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look who waits for a turn: %w", err))
	}
	out := make([]Waiting, len(rows))
	for i, r := range rows {
		out[i] = Waiting{Inbox: r.ID, Session: r.SessionKey, Text: r.Body}
	}
	return out, nil
}

// NotifyThrottled notifies the user, once, that their message waits for a free turn.
func (s *Store) NotifyThrottled(ctx context.Context, w Waiting) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.SlotMarkTold(ctx, tx, w.Inbox)
		if err != nil || n == 0 {
			return err
		}
		return conversation.AppendSystemNotice(ctx, tx, w.Session, i18n.Throttled)
	})
}
