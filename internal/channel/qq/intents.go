package qq

// Intents are the groups of events that a session asks for.
const (
	intentGuildAll    = 1 << 9  // all messages of guild channels; bots of the private domain only
	intentGuildDirect = 1 << 12 // private messages of guilds
	intentGroup       = 1 << 25 // groups and direct chats
	intentInteraction = 1 << 26 // buttons
	intentGuildPublic = 1 << 30 // messages of guild channels that mention the bot
)

// level is how much a session asks for. A bot that asks for events it has no permission for gets no session at all, so it
// asks for less until it gets one.
type level struct {
	name    string
	intents int
	missing []string // events that are not delivered, for users
}

func (s settings) levels() []level {
	channels := intentGuildPublic
	if s.everything {
		channels = intentGuildAll
	}
	const (
		noPrivate = "private messages of guilds (DIRECT_MESSAGE)"
		noButtons = "buttons (INTERACTION)"
		noGroups  = "groups and direct chats (GROUP_AND_C2C_EVENT)"
		noGuilds  = "messages of guild channels (PUBLIC_GUILD_MESSAGES)"
	)
	return []level{
		{name: "full", intents: intentGroup | intentInteraction | channels | intentGuildDirect},
		{name: "group and channel", intents: intentGroup | channels, missing: []string{noPrivate, noButtons}},
		{name: "channel", intents: channels, missing: []string{noPrivate, noButtons, noGroups}},
		{name: "group", intents: intentGroup, missing: []string{noPrivate, noButtons, noGuilds}},
	}
}
