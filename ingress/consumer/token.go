package consumer

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/fault"
)

// tokenLife is how long a media token is good.
const tokenLife = 6 * time.Hour

// maxToken bounds a media token, in bytes.
const maxToken = 1 << 10

// pass is the content of a media token. It is good as long as the secret of the key that it was made with.
type pass struct {
	Service      string `json:"s"`
	Key          string `json:"k"`
	Revision     int64  `json:"r"` // of the key
	Conversation string `json:"c"`
	Expires      int64  `json:"e"` // Unix seconds
}

// MediaToken opens the files of one conversation in addresses, which cannot hold a key.
type MediaToken struct {
	Token   string `json:"token" doc:"For ?token= of files and attachments of this conversation alone."`
	Expires int    `json:"expires_in" doc:"Seconds."`
}

func (a *API) registerTokens(h huma.API) {
	handle(a, h, huma.Operation{
		OperationID: "make-media-token", Method: http.MethodGet, Path: "/api/v1/conversations/{id}/media-token", Summary: "Create a token for file URLs",
	}, func(ctx context.Context, v *visit, in *ByID) (*struct{ Body MediaToken }, error) {
		c, err := a.conversation(ctx, v, in.ID)
		if err != nil {
			return nil, err
		}
		token, err := a.sign(pass{v.Service.ID, v.Key, v.Revision, c.ID, time.Now().Add(tokenLife).Unix()})
		return &struct{ Body MediaToken }{MediaToken{Token: token, Expires: int(tokenLife.Seconds())}}, err
	})
}

func (a *API) sign(p pass) (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	return encode(text) + "." + encode(a.mac(text)), nil
}

// byToken finds out who made a media token, and whether they still may.
func (a *API) byToken(ctx context.Context, token string) (caller, error) {
	p, ok := a.verify(token)
	if !ok || time.Now().Unix() >= p.Expires {
		return caller{}, errToken
	}
	by, err := a.Services.CallerWith(ctx, p.Key)
	if fault.Is(err, fault.NotFound) || err == nil && (by.Revision != p.Revision || by.Service.ID != p.Service) {
		return caller{}, errToken
	}
	return caller{Caller: by, Services: a.Services, only: p.Conversation}, err
}

func (a *API) verify(token string) (p pass, ok bool) {
	first, second, both := strings.Cut(token, ".")
	if !both || len(token) > maxToken {
		return p, false
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(first)
	if err != nil {
		return p, false
	}
	mac, err := base64.RawURLEncoding.Strict().DecodeString(second)
	if err != nil || !hmac.Equal(mac, a.mac(text)) {
		return p, false
	}
	return p, json.Unmarshal(text, &p) == nil
}

func (a *API) mac(text []byte) []byte {
	h := hmac.New(sha256.New, a.Key.Derive("media tokens of services"))
	h.Write(text)
	return h.Sum(nil)
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
