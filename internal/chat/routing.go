package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ChatType is the kind of place of a conversation.
type ChatType string //nolint:revive // its name on every platform

// The kinds of places. A thread belongs to a group or a channel.
const (
	ChatDirect  ChatType = "direct"
	ChatGroup   ChatType = "group"
	ChatChannel ChatType = "channel"
	ChatThread  ChatType = "thread"
	ChatCron    ChatType = "cron"
	ChatHook    ChatType = "hook"

	ChatSubagent ChatType = "subagent"
)

// Origin is where a conversation takes place, for display and for the delivery of its answers. It follows the newest message.
type Origin struct {
	Label    string `json:"label,omitempty" doc:"Display name of the place: a group with its thread, or a user."`
	Provider string `json:"provider,omitempty" doc:"The channel, such as feishu."`
	From     string `json:"from,omitempty" doc:"Id of who wrote last, on the platform."`
	To       string `json:"to,omitempty" doc:"Id of the chat that answers go to."`
	Account  string `json:"account_id,omitempty" doc:"Bot account, if the channel has several."`
	Thread   string `json:"thread_id,omitempty"`
	Name     string `json:"display_name,omitempty" doc:"Name of the last sender."`
	Subject  string `json:"subject,omitempty" doc:"Name of the group."`
	Room     string `json:"room,omitempty"`
	Space    string `json:"space,omitempty" doc:"The workspace or guild of the place."`
}

// Envelope is a message as a channel delivered it, before admission and routing. All ids are the platform's.
type Envelope struct {
	ID string `json:"id"` // of the message; repeated deliveries carry the same one
	Source
	Root      string    `json:"root,omitempty"`   // first message of the thread that it belongs to
	Parent    string    `json:"parent,omitempty"` // message that it replies to
	Sender    Peer      `json:"sender"`
	SentAt    time.Time `json:"sent_at,omitzero"` // by the platform's clock
	Seq       int64     `json:"seq,omitempty"`    // the platform's order among messages of one instant
	Text      string    `json:"text"`             // without the mention of the bot
	Mentioned bool      `json:"mentioned,omitempty"`
	// Answers reports whether it replies to or quotes a message of the bot.
	Answers bool `json:"answers,omitempty"`
	// Mentions are the other people that it mentions: answers may name them.
	Mentions    []Peer       `json:"mentions,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Quote       *Quote       `json:"quote,omitempty"`
}

// Source is where on a platform a message was written, and to which of its bots.
type Source struct {
	Channel  string   `json:"channel"`
	Account  string   `json:"account,omitempty"` // of the bot
	ChatType ChatType `json:"chat_type"`         // direct, group or channel
	Chat     string   `json:"chat"`              // id of the group or channel, or of the direct chat
	Thread   string   `json:"thread,omitempty"`  // thread or topic in it
	Subject  string   `json:"subject,omitempty"` // name of the group
	Room     string   `json:"room,omitempty"`
	Space    string   `json:"space,omitempty"`
}

// Peer is a person on a platform.
type Peer struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Union is their id across all bots of one owner, and Member their id in their organisation, if the platform provides them.
	Union  string `json:"union_id,omitempty"`
	Member string `json:"member_id,omitempty"`
}

// QueueMode is how a message joins a conversation that is busy.
type QueueMode string

// The queue modes.
const (
	QueueSteer     QueueMode = "steer"     // it reaches the running turn before the next step
	QueueFollowup  QueueMode = "followup"  // a separate turn, later
	QueueCollect   QueueMode = "collect"   // one turn for a burst
	QueueInterrupt QueueMode = "interrupt" // the running turn is stopped, and this one is next
	QueueSupersede QueueMode = "supersede" // it replaces the waiting messages
)

// DropPolicy is which message is dropped when a queue is full.
type DropPolicy string

// The drop policies. The sender is notified in every case.
const (
	DropReject    DropPolicy = "reject"    // the new message is refused
	DropNew       DropPolicy = "new"       // the new message is accepted and dropped
	DropOld       DropPolicy = "old"       // the oldest waiting message is dropped
	DropSummarize DropPolicy = "summarize" // the oldest waiting message becomes a line before the next one
)

// Queue is how messages wait. Empty members follow the policy.
type Queue struct {
	Mode       QueueMode  `json:"mode,omitempty" enum:"steer,followup,collect,interrupt,supersede"`
	DebounceMS int        `json:"debounce_ms,omitempty" doc:"Milliseconds of quiet that end a burst (collect)."`
	Cap        int        `json:"cap,omitempty" doc:"Messages that may wait."`
	Drop       DropPolicy `json:"drop,omitempty" enum:"reject,new,old,summarize"`
}

// Options are set by directives inside a message, for this message alone.
type Options struct {
	Think   string `json:"think,omitempty"`   // off, minimal, low, medium, high, xhigh
	Verbose string `json:"verbose,omitempty"` // off, on, full
	// Continue marks a generated message: a user asked to continue a turn that had ended early.
	Continue bool `json:"continue,omitempty"`
	// Said is the user's original text if the text is the command that replaces it; empty: the text.
	Said string `json:"said,omitempty"`
	// Skill is the requested skill, or prompt of an MCP server: the first word of the text, without the slash; empty: none.
	Skill string `json:"skill,omitempty"`
	// PromptTool is the tool that fills in the prompt of an MCP server; empty: Skill is a skill.
	PromptTool string `json:"prompt_tool,omitempty"`
	// Named reports that the message names the bot, in a chat where it also receives messages that do not.
	Named bool `json:"named,omitempty"`
	// Plan makes the turn that answers the message propose a plan before it acts.
	Plan bool `json:"plan,omitempty"`
	// Replaces is a user's message that the message replaces, with all that followed it; 0: it comes at the end.
	Replaces MessageID `json:"replaces,omitempty"`
	// Client is the API options of the program that sent the message; nil: none.
	Client *ClientAsk `json:"client,omitempty"`
	// Spoken is the exchange of a realtime session that answers the turn of a spoken message; empty: the message was not spoken.
	Spoken string `json:"spoken,omitempty"`
}

// Reasons of a reset of a conversation.
const (
	ResetNew   = "new"   // a user asked
	ResetDaily = "daily" // its day was over
	ResetIdle  = "idle"  // it had been idle for long
	ResetRun   = "run"   // a job starts each of its runs with an empty context
)

// Began is a reset point of a conversation.
type Began struct {
	ID     ControlID `json:"id"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason" enum:"new,daily,idle,run" doc:"new: requested by a user. daily: the daily reset. idle: no messages for long. run: a job has run."`
	Upto   MessageID `json:"upto" doc:"The last message that is no longer in the model's context."`
}

// Found is a message found by a search.
type Found struct {
	Session SessionKey `json:"session"`
	Title   string     `json:"title"`
	Message MessageID  `json:"message_id"`
	Role    Role       `json:"role" enum:"user,assistant"`
	Snippet string     `json:"snippet" doc:"The part of the message with the most different words of the search."`
	Marks   []Mark     `json:"marks" doc:"What was searched for, in the order of the snippet."`
	At      time.Time  `json:"at"`
}

// Mark is a part of a text, in characters (Unicode code points).
type Mark struct {
	From int `json:"from" minimum:"0" doc:"The first character, counted from 0."`
	To   int `json:"to" minimum:"0" doc:"The character behind the last one."`
}

// Reset starts a conversation over for the model: it sees nothing up to the message of the record.
type Reset struct {
	Reason string `json:"reason"`
}

// ClientAsk is the API options of a program for the turn that answers its message.
type ClientAsk struct {
	// Tools are the program's tools. The model may call them; xbot never runs them.
	Tools []ClientTool `json:"tools,omitempty"`
	// Forced means that the model has to call one of Tools, and has no others.
	Forced bool `json:"forced,omitempty"`
	// Single means that a step has at most one call of Tools.
	Single bool `json:"single,omitempty"`
	// Format is the format of the last text of the turn; nil: any.
	Format *AnswerFormat `json:"format,omitempty"`
	// Previous is the id of the response that the message follows, as the program named it.
	Previous string `json:"previous,omitempty"`
	// Results are the calls whose results came with the message.
	Results []CallID `json:"results,omitempty"`
	// Wordless: the message holds tool results and no text of a user.
	Wordless bool `json:"wordless,omitempty"`
}

// ClientTool is a tool of a program.
type ClientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema of an object
	Strict      bool            `json:"strict,omitempty"`
}

// MaxToolName bounds the name of a tool, in bytes: OpenAI and Anthropic accept no longer ones.
const MaxToolName = 64

// Alias returns the n-th alias of the tool, from 0: client_NAME, client2_NAME and so on. The model sees an alias if another tool has the
// name. A name that is too long for the prefix is shortened to its beginning and a hash.
func (t ClientTool) Alias(n int) string {
	prefix := "client_"
	if n > 0 {
		prefix = fmt.Sprintf("client%d_", n+1)
	}
	if len(prefix)+len(t.Name) <= MaxToolName {
		return prefix + t.Name
	}
	sum := sha256.Sum256([]byte(t.Name))
	end := "_" + hex.EncodeToString(sum[:4])
	return prefix + t.Name[:MaxToolName-len(prefix)-len(end)] + end
}

// ModelNames returns the names by which the model knows the tools, in their order: the name itself, or the first alias if taken reports that
// a tool of xbot has the name. No two are equal, and no alias is the name of another tool of the program.
func (a ClientAsk) ModelNames(taken func(name string) bool) []string {
	used := map[string]bool{}
	for _, t := range a.Tools {
		used[t.Name] = true
	}
	out := make([]string, len(a.Tools))
	for i, t := range a.Tools {
		name := t.Name
		for n := 0; taken(name) || name != t.Name && used[name]; n++ {
			name = t.Alias(n)
		}
		used[name] = true
		out[i] = name
	}
	return out
}

// ToolOf returns the name of the program's tool that the model knows by a name. ok is false if there is none.
func (a ClientAsk) ToolOf(modelName string) (name string, ok bool) {
	if slices.ContainsFunc(a.Tools, func(t ClientTool) bool { return t.Name == modelName }) {
		return modelName, true
	}
	digits, _, found := strings.Cut(strings.TrimPrefix(modelName, "client"), "_")
	if !found || !strings.HasPrefix(modelName, "client") {
		return "", false
	}
	n := 0
	if digits != "" {
		if n, _ = strconv.Atoi(digits); n < 2 { // what is no number is 0
			return "", false
		}
		n--
	}
	for _, t := range a.Tools {
		if t.Alias(n) == modelName {
			return t.Name, true
		}
	}
	return "", false
}

// AnswerFormat is the required format of an answer: a JSON object, which follows Schema if there is one.
type AnswerFormat struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
}

// ClientResult is the result of a program's tool.
type ClientResult struct {
	Call    CallID
	Content string
}
