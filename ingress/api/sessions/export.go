package sessions

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/download"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/session"
	"xbot/internal/turn/transcript"
)

// maxImport bounds a transcript that is read, in bytes.
const maxImport = 64 << 20

// Imported is the result of importing a transcript.
type Imported struct {
	Session chat.Session `json:"session"`
	Notes   []string     `json:"notes" doc:"Omitted content."`
}

func (a *Endpoints) registerExport(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "export-session", Method: http.MethodGet, Path: "/api/sessions/{key}/export", Summary: "Export a conversation",
		Description: "jsonl: JSON Lines, version 3 of the format described in docs/reference/transcripts.md, which can be imported. md: Markdown for reading. Administrators may export every conversation.",
		Security:    endpoint.Secured, Responses: endpoint.AttachmentResponse("application/jsonl"),
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Format string `query:"format" enum:"jsonl,md" default:"jsonl"`
	}) (*huma.StreamResponse, error) {
		s, err := a.Readable(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			r, w := humago.Unwrap(hctx)
			if err := a.export(ctx, w, s.Key, in.Format); err != nil && ctx.Err() == nil {
				a.Refuse(w, r, err)
			}
		}}, nil
	})
	huma.Register(h, huma.Operation{
		OperationID: "import-session", Method: http.MethodPost, Path: "/api/sessions/import", Summary: "Import a conversation as a new session",
		Description: "Accepts JSON Lines of version 3, the format of the export. At most 64 MiB.", DefaultStatus: http.StatusCreated,
		MaxBodyBytes: maxImport, BodyReadTimeout: time.Minute, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Key     chat.SessionKey `query:"key" maxLength:"200" doc:"Default: a new one."`
		Title   string          `query:"title" maxLength:"200" doc:"Default: that of the transcript, or its first words."`
		RawBody []byte          `contentType:"application/jsonl"`
	}) (*struct{ Body Imported }, error) {
		made, notes, err := a.importSession(ctx, in.Key, in.Title, in.RawBody)
		return &struct{ Body Imported }{Imported{Session: made, Notes: append([]string{}, notes...)}}, a.Problem(err)
	})
}

// exportsOfOne bounds the exports of one user that are under way. Each holds its conversation in memory until its client has read it.
const exportsOfOne = 4

// export sends all of a conversation. It returns an error only if nothing was sent.
func (a *Endpoints) export(ctx context.Context, w http.ResponseWriter, key chat.SessionKey, format string) error {
	leave, err := a.exports.Enter(auth.User(ctx).ID, exportsOfOne, "exports")
	if err != nil {
		return err
	}
	defer leave()
	t, err := a.Conversations.Export(ctx, key)
	if err != nil {
		return err
	}
	write, name, kind := transcript.Write, "session.jsonl", "application/jsonl; charset=utf-8"
	if format == "md" {
		write, name, kind = transcript.Markdown, "session.md", "text/markdown; charset=utf-8"
	}
	download.SetHeader(w, name, kind)
	_ = write(w, t) // the client is gone if this fails
	return nil
}

func (a *Endpoints) importSession(ctx context.Context, key chat.SessionKey, title string, body []byte) (chat.Session, []string, error) {
	t, notes, err := transcript.Read(bytes.NewReader(body))
	if err != nil {
		return chat.Session{}, nil, err
	}
	n := conversation.NewSession{
		Key: session.Thread(session.DefaultAgent, webChannel, strings.ToLower(rand.Text()[:12])), Owner: auth.User(ctx).ID, Channel: webChannel, Title: title,
	}
	if key != "" {
		parsed, err := session.Parse(key)
		if err != nil {
			return chat.Session{}, nil, err
		}
		if err := mayName(parsed.Channel); err != nil {
			return chat.Session{}, nil, err
		}
		n.Key, n.Channel = key, parsed.Channel
	}
	if n.Title == "" {
		n.Title = t.Heading()
	}
	made, err := a.Turns.Import(ctx, n, t)
	return made, notes, err
}

// mayName refuses keys of channels whose sessions their own adapters make.
func mayName(channel string) error {
	if slices.Contains(ownChannels, channel) {
		return nil
	}
	return fault.Errorf(fault.Invalid, "sessions made here belong to one of the channels %s", strings.Join(ownChannels, ", "))
}
