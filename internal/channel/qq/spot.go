package qq

import (
	"net/url"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// scene is a kind of place.
type scene string

// The scenes.
const (
	direct      scene = "c2c"
	group       scene = "group"
	guild       scene = "guild"
	guildDirect scene = "dms"
)

// guildDirectMark begins the id of a private chat that belongs to a guild: /dms/{guild_id} is where answers go.
const guildDirectMark = "dms/"

// spot is the API address of a place.
type spot struct {
	scene   scene
	id      string // of the user, the group, the channel, or the guild of a private chat
	replyTo string
}

func spotOf(to channel.Address) (spot, error) {
	s := spot{replyTo: to.ReplyTo}
	switch to.ChatType {
	case chat.ChatDirect:
		if id, ok := strings.CutPrefix(to.Chat, guildDirectMark); ok {
			s.scene, s.id = guildDirect, id
		} else {
			s.scene, s.id = direct, to.Peer
			if s.id == "" {
				s.id = to.Chat
			}
		}
	case chat.ChatGroup:
		s.scene, s.id = group, to.Chat
	case chat.ChatChannel:
		s.scene, s.id = guild, to.Chat
	}
	if s.scene == "" || s.id == "" {
		return s, fault.Errorf(fault.Invalid, "a message to QQ needs a person, a group or a channel to go to")
	}
	return s, nil
}

// root returns the address of the place.
func (s spot) root() string {
	id := url.PathEscape(s.id)
	switch s.scene {
	case direct:
		return "/v2/users/" + id
	case group:
		return "/v2/groups/" + id
	case guild:
		return "/channels/" + id
	default:
		return "/dms/" + id
	}
}

func (s spot) messages() string { return s.root() + "/messages" }

func (s spot) message(id string) string { return s.messages() + "/" + url.PathEscape(id) }

// inGuild reports whether the older API of guilds applies.
func (s spot) inGuild() bool { return s.scene == guild || s.scene == guildDirect }
