package sessions

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/turn/shares"
)

const (
	// sharedAtOnce is how many shared conversations a process reads at the same time: they need no sign-in.
	sharedAtOnce = 4
	// sharedWait is how long a reader waits for their turn.
	sharedWait = 5 * time.Second
)

// reading has a place for each shared conversation that is read.
var reading = make(chan struct{}, sharedAtOnce)

// SharedBody is a conversation as a link shows it.
type SharedBody struct {
	Title     string          `json:"title"`
	MadeAt    time.Time       `json:"made_at" doc:"It shows the conversation as it was then."`
	ExpiresAt time.Time       `json:"expires_at"`
	More      bool            `json:"more,omitempty" doc:"Older messages are left out: it shows the newest 500, and about 1 MiB of text."`
	Messages  []SharedMessage `json:"messages"`
}

// SharedMessage is a message as a link shows it.
type SharedMessage struct {
	Role      chat.Role `json:"role" enum:"user,assistant"`
	Sender    string    `json:"sender,omitempty" doc:"Name of the sender, in conversations with several users."`
	Text      string    `json:"text"`
	Tools     []string  `json:"tools,omitempty" doc:"Names of the tools that were used after it."`
	Files     []string  `json:"files,omitempty" doc:"Names of the pictures and files that came with it. The link does not show them; empty: one without a name."`
	CreatedAt time.Time `json:"created_at"`
}

type sharedInput struct {
	Token string `path:"token"`
}

type sharedOutput struct {
	Robots   string `header:"X-Robots-Tag"`
	Referrer string `header:"Referrer-Policy"`
	Body     SharedBody
}

// RegisterShared has the endpoint of shared links, which needs no user.
func (a *Endpoints) RegisterShared(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "read-shared", Method: http.MethodGet, Path: "/api/shared/{token}", Summary: "Get a shared conversation; requires no sign-in",
		Description: "404: the link is invalid, expired or revoked.",
	}, func(ctx context.Context, in *sharedInput) (*sharedOutput, error) {
		shown, err := a.readShared(ctx, in.Token)
		return &sharedOutput{Robots: "noindex", Referrer: "no-referrer", Body: sharedBody(shown)}, a.Problem(err)
	})
}

// readShared waits for its turn.
func (a *Endpoints) readShared(ctx context.Context, token string) (shares.Shared, error) {
	wait := time.NewTimer(sharedWait)
	defer wait.Stop()
	select {
	case reading <- struct{}{}:
		defer func() { <-reading }()
		return a.Shares.Shared(ctx, secret.HashToken(token))
	case <-ctx.Done():
		return shares.Shared{}, ctx.Err()
	case <-wait.C:
		return shares.Shared{}, fault.Limited(sharedWait, "too many people read shared conversations at once; try again in a moment")
	}
}

func sharedBody(s shares.Shared) SharedBody {
	out := SharedBody{Title: s.Title, MadeAt: s.MadeAt, ExpiresAt: s.ExpiresAt, More: s.More, Messages: []SharedMessage{}}
	for _, m := range s.Messages {
		text, files := m.Text, []string(nil)
		if m.Role == chat.RoleUser {
			text, files = withoutFiles(m)
		}
		if text == "" && len(m.Tools) == 0 && len(files) == 0 {
			continue
		}
		out.Messages = append(out.Messages, SharedMessage{Role: m.Role, Sender: m.Sender, Text: text, Tools: m.Tools, Files: files, CreatedAt: m.CreatedAt})
	}
	return out
}

// fileLine is a line about a file of a message: its name, and where it is or why it is missing (chat.TextWithAttachments).
var fileLine = regexp.MustCompile(`^\[(?:quoted )?(?:file|image|audio|video|sticker): (.+?) · (?:\d+ bytes · (.+)|not fetched: .+|removed, it was old)\]$`)

// unheard is a line about a sound file without a transcript: it names keys and services of the user who shares.
var unheard = regexp.MustCompile(`^\[voice transcript: not made: .*\]$`)

// withoutFiles separates the text of a user from the names of its files. Readers of a link must not learn where files are on a machine.
func withoutFiles(m shares.Message) (text string, names []string) {
	var words []string
	at := map[string]bool{}
	for line := range strings.SplitSeq(m.Text, "\n") {
		if found := fileLine.FindStringSubmatch(line); found != nil {
			names = append(names, found[1])
			at[found[2]] = true
			continue
		}
		words = append(words, unheard.ReplaceAllString(line, "[voice]"))
	}
	for _, p := range m.Pictures {
		if p.Path == "" || !at[p.Path] {
			names = append(names, p.Name)
		}
	}
	return strings.Join(words, "\n"), names
}
