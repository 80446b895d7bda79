package qq

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"xbot/internal/fault"
)

const (
	// tokenMargin is how long before its end a token is replaced. In its last 60 s QQ gives out the next one, and takes both.
	tokenMargin = 55 * time.Second
	callTimeout = 30 * time.Second
	maxAnswer   = 4 << 20 // bytes of an answer of the API
)

// tokens holds the access token of the bot.
type tokens struct {
	set  settings
	http *http.Client

	mu    sync.Mutex
	value string
	until time.Time
}

// get returns a token that is good for the next minute. Callers that ask at the same time share one request.
func (t *tokens) get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.value != "" && time.Until(t.until) > tokenMargin {
		return t.value, nil
	}
	value, life, err := t.ask(ctx)
	if err != nil {
		return "", err
	}
	t.value, t.until = value, time.Now().Add(life)
	return value, nil
}

// drop forgets a token that the platform has refused, unless it was replaced meanwhile.
func (t *tokens) drop(value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.value == value {
		t.value = ""
	}
}

// ask gets a token. The endpoint answers 200 also when it refuses; the code decides.
func (t *tokens) ask(ctx context.Context) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	body, err := json.Marshal(map[string]string{"appId": t.set.appID, "clientSecret": t.set.secret})
	if err != nil {
		return "", 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.set.tokenURL, bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := t.http.Do(req)
	if err != nil {
		return "", 0, fault.Errorf(fault.Unavailable, "get an access token of QQ: %w", err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return "", 0, fault.Errorf(fault.Unavailable, "get an access token of QQ: %w", err)
	}
	return readToken(res.StatusCode, raw)
}

func readToken(status int, raw []byte) (string, time.Duration, error) {
	var got struct {
		Token   string `json:"access_token"`
		Life    loose  `json:"expires_in"` // a string in the documents' examples, a number in their tables
		Code    loose  `json:"code"`
		Message string `json:"message"`
	}
	err := json.Unmarshal(raw, &got)
	switch code := got.Code.int(); {
	case code == 100007 || code == 100016 || code == 10004:
		return "", 0, fault.Errorf(fault.Denied, "QQ does not know this AppID with this AppSecret (code %d: %s); copy both again from q.qq.com", code, got.Message)
	case code == 100001 || status == http.StatusTooManyRequests:
		return "", 0, fault.Limited(time.Minute, "QQ was asked for access tokens too often")
	case err != nil || got.Token == "":
		return "", 0, fault.Errorf(fault.Unavailable, "QQ gave no access token (HTTP %d, code %d: %s)", status, code, got.Message)
	}
	life := time.Duration(got.Life.int()) * time.Second
	if life <= 0 {
		life = 2 * tokenMargin // it did not say: use it now, ask again soon
	}
	return got.Token, life, nil
}
