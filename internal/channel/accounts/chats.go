package accounts

import (
	"cmp"
	"context"
	"regexp"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/session"
)

// Names of the settings of Chats, as used in their errors.
const (
	adminVariable   = "ADMIN_CHAT_ID"
	notifyVariable  = "STARTUP_NOTIFY_CHAT_ID"
	channelVariable = "STARTUP_NOTIFY_CHANNEL"
)

const (
	noChat    = "none"   // no chat, not even that of the other setting
	groupMark = "group:" // before the id of a group: users and groups may have the same numbers
)

// Chats are the chats on platforms that an operator names: CHANNEL:ID, CHANNEL/ACCOUNT:ID, or an ID alone; the ID of a group is
// group:ID.
type Chats struct {
	Admin   string // in which the first administrator writes; empty: Notify, if that is a direct chat
	Notify  string // gets notices of starts; empty: Admin
	Channel string // of ids that name none; empty: the platform of the only bot that is configured
}

// OperatorChats are Chats as places; a zero one is none.
type OperatorChats struct {
	Admin, Notify chat.Address
	// From is the name of the setting that Admin comes from.
	From string
}

// OperatorChats resolves the chats that an operator names to addresses. Unusable values are Invalid: the error names the setting and a
// valid form.
func (b *Store) OperatorChats(ctx context.Context, c Chats) (OperatorChats, error) {
	known, err := b.ChannelAccounts(ctx)
	if err != nil {
		return OperatorChats{}, err
	}
	drivers, err := b.drivers(ctx)
	if err != nil {
		return OperatorChats{}, err
	}
	finder := chatFinder{drivers: drivers, known: known, channel: strings.TrimSpace(c.Channel)}
	admin, err := finder.find(adminVariable, c.Admin)
	if err != nil {
		return OperatorChats{}, err
	}
	if admin.ChatType == chat.ChatGroup {
		return OperatorChats{}, fault.Errorf(fault.Invalid,
			"%s names a group, whose members would all be administrators; name a direct chat there, and the group in %s", adminVariable, notifyVariable)
	}
	notify, err := finder.find(notifyVariable, c.Notify)
	if err != nil {
		return OperatorChats{}, err
	}
	out := OperatorChats{Admin: admin, Notify: notify, From: adminVariable}
	if strings.TrimSpace(c.Notify) == "" {
		out.Notify = admin
	}
	if strings.TrimSpace(c.Admin) == "" && notify.ChatType == chat.ChatDirect {
		out.Admin, out.From = notify, notifyVariable
	}
	return out, nil
}

// chatFinder reads the names of chats.
type chatFinder struct {
	drivers []channel.Driver
	known   []channel.Configured
	channel string // of ids that name none
}

// find returns the place of a chat, zero for none.
func (f chatFinder) find(variable, said string) (chat.Address, error) {
	said = strings.TrimSpace(said)
	if said == "" || said == noChat {
		return chat.Address{}, nil
	}
	head, id, named := strings.Cut(said, ":")
	if !named || head+":" == groupMark {
		var err error
		if head, err = f.usual(variable, said); err != nil {
			return chat.Address{}, err
		}
		id = said
	}
	name, account, _ := strings.Cut(head, "/")
	d, ok := f.driver(name)
	if !ok {
		return chat.Address{}, fault.Errorf(fault.Invalid, "%s is %q, and there is no platform %q; write one of %s, as in %s", variable, said, name, f.platforms(), f.example())
	}
	place, ok := placeOf(d, id)
	if !ok {
		return chat.Address{}, fault.Errorf(fault.Invalid, "%s is %q, which is no chat of %s; write %s:%s for a person and %s:%sID for a group",
			variable, said, d.Name, d.Name, d.IDs.Example, d.Name, groupMark)
	}
	place.Channel, place.Account = d.Name, f.account(d.Name, account)
	return place, nil
}

// usual returns the platform of an id that names none.
func (f chatFinder) usual(variable, said string) (string, error) {
	if f.channel != "" {
		return f.channel, nil
	}
	if len(f.known) == 1 {
		return channel.Name(f.known[0].Channel, f.known[0].Account), nil
	}
	return "", fault.Errorf(fault.Invalid, "%s is %q, which names no platform, and %d bots are configured; write the platform before it, as in %s, or set %s",
		variable, said, len(f.known), f.example(), channelVariable)
}

// account returns the named bot of a platform; if none is named, the only one, else the one without a name.
func (f chatFinder) account(name, said string) string {
	switch said {
	case "":
	case session.DefaultAccount:
		return ""
	default:
		return said
	}
	var there []string
	for _, c := range f.known {
		if c.Channel == name {
			there = append(there, c.Account)
		}
	}
	if len(there) == 1 {
		return there[0]
	}
	return ""
}

func (f chatFinder) driver(name string) (channel.Driver, bool) {
	for _, d := range f.drivers {
		if d.Name == name {
			return d, true
		}
	}
	return channel.Driver{}, false
}

func (f chatFinder) platforms() string {
	var names []string
	for _, d := range f.drivers {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// example returns the written form of a chat on a configured platform.
func (f chatFinder) example() string {
	name := ""
	if len(f.known) > 0 {
		name = f.known[0].Channel
	}
	d, ok := f.driver(name)
	if !ok && len(f.drivers) > 0 {
		d = f.drivers[0]
	}
	return cmp.Or(d.Name, "CHANNEL") + ":" + cmp.Or(d.IDs.Example, "ID")
}

// placeOf returns the place of an id on a platform. It returns false if the id is malformed.
func placeOf(d channel.Driver, id string) (chat.Address, bool) {
	if group, ok := strings.CutPrefix(id, groupMark); ok {
		return chat.Address{ChatType: chat.ChatGroup, Chat: group}, isID(d.IDs.Group, group)
	}
	if isID(d.IDs.Direct, id) {
		return chat.Address{ChatType: chat.ChatDirect, Chat: id}, true
	}
	return chat.Address{ChatType: chat.ChatDirect, Peer: id}, isID(d.IDs.Person, id)
}

// isID reports whether an id matches a form; nothing matches an empty form.
func isID(form, id string) bool {
	ok, err := regexp.MatchString("^(?:"+form+")$", id)
	return err == nil && form != "" && ok
}
