// Package consumer is the API by which programs and people outside use a service that an administrator has published. It accepts keys of
// services and no other credential, and other data of the installation does not exist here. Its texts are meant for outsiders: none of them
// names a setting, a machine or a user of the installation.
package consumer

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"xbot/ingress/callers"
	"xbot/ingress/intake"
	"xbot/ingress/largebody"
	"xbot/ingress/openai"
	"xbot/ingress/replystream"
	"xbot/internal/chat"
	"xbot/internal/document/webpicture"
	"xbot/internal/host/outage"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

// Root is the beginning of all paths of the API.
const Root = "/api/v1/"

// Messages finds answers to messages.
type Messages interface {
	Place(ctx context.Context, key chat.SessionKey, id chat.InboxID) (conversation.Place, error)
}

// Attachments is the store of pictures in messages, and checks the limit on stored files.
type Attachments interface {
	AddPicture(ctx context.Context, key chat.SessionKey, p chat.Picture) error
	Pictures(ctx context.Context, key chat.SessionKey, hashes []string) (map[string]chat.Picture, error)
	CheckSpace(ctx context.Context, user chat.UserID, more int64) error
}

// Conversations reads transcripts, and updates titles and pins.
type Conversations interface {
	Messages(ctx context.Context, key chat.SessionKey, page conversation.Page) (conversation.Transcript, error)
	UpdateSession(ctx context.Context, key chat.SessionKey, title *string, pinned *bool) error
}

// ServiceUsage records requests to services.
type ServiceUsage interface {
	RecordRequests(ctx context.Context, all []servicestore.Request) error
}

// Services authenticates consumers, and is the store of their conversations, rate limits and retries.
type Services interface {
	Admit(ctx context.Context, by servicestore.Caller, send servicestore.Send) error
	BeginConversation(ctx context.Context, n servicestore.NewConversation) (service.Conversation, error)
	BindSend(ctx context.Context, send servicestore.Send) error
	CallerOf(ctx context.Context, hash []byte) (servicestore.Caller, error)
	CallerWith(ctx context.Context, key string) (servicestore.Caller, error)
	ConsumerConversation(ctx context.Context, by servicestore.Caller, id string) (service.Conversation, error)
	DeleteConsumerConversation(ctx context.Context, c service.Conversation) error
	FindRetry(ctx context.Context, by servicestore.Caller, r servicestore.Retry) (was servicestore.Retry, found bool, err error)
	Followed(ctx context.Context, key chat.SessionKey, after int64) (chat.InboxID, error)
	ForgetRetry(ctx context.Context, by servicestore.Caller, r servicestore.Retry) error
	FreeSend(ctx context.Context, id string) error
	KeepRetry(ctx context.Context, by servicestore.Caller, r servicestore.Retry) error
	NamedConversation(ctx context.Context, by servicestore.Caller, name string) (service.Conversation, error)
	NoteRequest(ctx context.Context, by servicestore.Caller, r servicestore.Retry) error
	Sent(ctx context.Context, key chat.SessionKey, ids []chat.InboxID) (map[chat.InboxID]servicestore.Sent, error)
	TurnStates(ctx context.Context, key chat.SessionKey, ids []chat.TurnID) (map[chat.TurnID]chat.TurnState, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	Delivered(ctx context.Context, in engine.NewRow) (known engine.Delivered, ok bool, err error)
}

// Dispatch accepts messages of consumers.
type Dispatch interface {
	Plain(ctx context.Context, in intake.Message) (engine.Accepted, error)
	Stop(ctx context.Context, in intake.Message) (engine.Stopped, error)
}

// Files finds the file systems of conversations.
type Files interface {
	OfConversation(ctx context.Context, c service.Conversation) (sandbox.Sandbox, error)
}

// Addresses know where a request comes from, behind proxies, too.
type Addresses interface {
	Address(r *http.Request) string
}

// Config has the dependencies of the API.
type Config struct {
	Messages      Messages
	Attachments   Attachments
	Conversations Conversations
	ServiceUsage  ServiceUsage
	Services      Services
	Turns         Turns
	Dispatch      Dispatch
	Answers       *replystream.Source
	Files         Files // nil: there are no files
	Addresses     Addresses
	Key           secret.Deriver // signs media tokens
	Log           *slog.Logger
	Outages       *outage.Watch       // counts requests that are refused while Postgres is away; nil: each is logged
	Pictures      *webpicture.Fetcher // reaches the public internet alone: consumers choose the addresses
	Tally         Tally               // nil: no counting
}

// Tally counts requests for operators, by service and status.
type Tally interface {
	Requested(service string, status int, took time.Duration)
}

// API serves everything below Root. Make it with New.
type API struct {
	Config

	wrong     guesses
	followers followers
	uploads   *uploads
	downloads callers.Limit[downloader]
	large     *largebody.Places
	records   *recorder
	beyond    beyond
	routes    *http.ServeMux
}

// New returns the API. Records writes its records of requests.
func New(c Config) *API {
	a := &API{Config: c, uploads: newUploads(), large: largebody.New(), records: newRecorder(c.ServiceUsage, c.Log), routes: http.NewServeMux()}
	a.register(a.routes)
	return a
}

// Records begins to write the records of requests. Call stop after the last request was answered: then nothing is lost.
func (a *API) Records(ctx context.Context) (stop func()) {
	return a.records.start(context.WithoutCancel(ctx))
}

// ServeHTTP answers a request: the document of the API without a key, everything else with one.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store") // messages of consumers are for them alone
	if openai.AllowOrigins(w, r) {
		return
	}
	r = openai.TrimSlash(r, 3)
	if r.Method == http.MethodGet && r.URL.Path == documentPath {
		serveDocument(w)
		return
	}
	by, err := a.identify(r)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	a.serve(w, r, by)
}

// speaks returns the language of a consumer: that of their text, else the one that their browser asks for.
func speaks(r *http.Request, text string) i18n.Lang {
	if text != "" {
		return i18n.Of(text)
	}
	if accepts := r.Header.Get("Accept-Language"); len(accepts) >= 2 && (accepts[:2] == "zh" || accepts[:2] == "ZH") {
		return i18n.Chinese
	}
	return i18n.English
}
