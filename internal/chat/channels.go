package chat

import "time"

// ChannelKind is a supported platform, with the options of its accounts.
type ChannelKind struct {
	Name    string          `json:"name" doc:"As in session keys and policies, such as feishu."`
	Options []ChannelOption `json:"options" doc:"In the order of the form."`
}

// ChannelOption is one setting of an account on a platform.
type ChannelOption struct {
	Name     string   `json:"name"`
	Env      string   `json:"env,omitempty" doc:"Variable that sets it for the account without a name."`
	Label    string   `json:"label"`
	Help     string   `json:"help,omitempty" doc:"Where to find it on the platform."`
	Secret   bool     `json:"secret,omitempty" doc:"Stored encrypted and never shown."`
	Required bool     `json:"required,omitempty"`
	Choices  []string `json:"choices,omitempty" doc:"The values it may have; none: any."`
	Default  string   `json:"default,omitempty"`
}

// ChannelState is the state of the receiving side of an account.
type ChannelState string

// The states of an account.
const (
	ChannelOff        ChannelState = "off"        // switched off
	ChannelConnecting ChannelState = "connecting" // no problem is known yet
	ChannelConnected  ChannelState = "connected"
	ChannelFaulty     ChannelState = "faulty" // error has the reason; it is retried unless that cannot help
)

// ChannelAccount is a bot on a platform: its configuration, without its secrets, and its state.
type ChannelAccount struct {
	Channel     string            `json:"channel"`
	Account     string            `json:"account" doc:"Its name; empty: the one without a name, which the environment may set."`
	Enabled     bool              `json:"enabled"`
	Settings    map[string]string `json:"settings" doc:"Without secrets."`
	Secrets     []string          `json:"secrets" doc:"Names of the secrets that are set."`
	Revision    int64             `json:"revision" doc:"Changes with every update."`
	ChangedAt   time.Time         `json:"changed_at"`
	ChangedBy   string            `json:"changed_by,omitempty" doc:"Name of the user; empty: the environment, or a user who was deleted."`
	Environment []string          `json:"environment,omitempty" doc:"Environment variables that set the account. Such an account can only be changed there."`
	Address     string            `json:"address,omitempty" doc:"What to enter on the platform, where the platform connects to xbot."`

	State       ChannelState `json:"state" enum:"off,connecting,connected,faulty"`
	ConnectedAt *time.Time   `json:"connected_at,omitempty" doc:"Since when, while it is connected."`
	EventAt     *time.Time   `json:"event_at,omitempty" doc:"When the last event came."`
	LagMS       *int64       `json:"lag_ms,omitempty" doc:"Milliseconds between the platform's clock and the arrival of that event."`
	Error       string       `json:"error,omitempty" doc:"Why it is not connected."`
	ErrorAt     *time.Time   `json:"error_at,omitempty"`
	ChannelLoad
}

// ChannelLoad is the delivery load of an account.
type ChannelLoad struct {
	Waiting     int    `json:"waiting" doc:"Messages waiting for delivery."`
	OldestS     int64  `json:"oldest_s,omitempty" doc:"Seconds for which the oldest of them has waited."`
	Held        string `json:"held,omitempty" doc:"The platform's reason for the last failed attempt, at most 300 characters, such as an exhausted quota."`
	Signs       int    `json:"signs,omitempty" doc:"Progress updates requested within the counted hour: reactions, typing indicators, status lines. Updates beyond signs_budget were not sent."`
	SignsBudget int    `json:"signs_budget,omitempty" doc:"How many of them the account may show in an hour; missing: they are not counted."`
}

// ChannelFault is a problem with an option.
type ChannelFault struct {
	Option string `json:"option" doc:"Empty: no single one."`
	Kind   string `json:"kind" enum:"missing,choice,unknown,form"`
	Text   string `json:"text" doc:"A sentence."`
}

// The kinds of faults.
const (
	FaultMissing = "missing"
	FaultChoice  = "choice"
	FaultUnknown = "unknown" // the platform has no such option
	FaultForm    = "form"
)

// ChannelFinding is one result of a test of an account.
type ChannelFinding struct {
	Step  string `json:"step" enum:"settings,credentials,permission,connection,events,message"`
	State string `json:"state" enum:"ok,failed,missing,untested"`
	What  string `json:"what,omitempty" doc:"Subject of the finding: the bot, the name of a permission, the ID of a message."`
	Text  string `json:"text,omitempty" doc:"The problem and its solution, or the reason why it was not tested."`
}

// The steps of a test, in their order.
const (
	TestSettings    = "settings"
	TestCredentials = "credentials"
	TestPermission  = "permission"
	TestConnection  = "connection"
	TestEvents      = "events"
	TestMessage     = "message"
)

// Results of a step of a test.
const (
	TestOK       = "ok"
	TestFailed   = "failed"
	TestMissing  = "missing" // the platform does not permit it yet
	TestUntested = "untested"
)
