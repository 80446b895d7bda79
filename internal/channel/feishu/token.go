package feishu

import (
	"context"
	"net/http"
	"sync"
	"time"

	"xbot/internal/fault"
)

// tokenMargin is how long before its end a token is replaced. The platform gives a new one in the last 30 minutes.
const tokenMargin = 3 * time.Minute

// tokens keeps the access token of an account. Accounts share nothing, not even those of the same app.
type tokens struct {
	*Account

	mu    sync.Mutex
	token string
	until time.Time
}

// get returns a token that is good for a while. One caller asks the platform, the others wait for it.
func (t *tokens) get(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != "" && time.Now().Before(t.until) {
		return t.token, nil
	}
	var out struct {
		Token  string `json:"tenant_access_token"`
		Expire int64  `json:"expire"` // seconds
	}
	in := map[string]string{"app_id": t.set.appID, "app_secret": t.set.secret}
	err := t.once(ctx, request{method: http.MethodPost, path: "/open-apis/auth/v3/tenant_access_token/internal", in: in}, "", &out)
	if err != nil {
		return "", credentials(err)
	}
	if out.Token == "" {
		return "", fault.Errorf(fault.Unavailable, "Feishu gave no access token")
	}
	life := time.Duration(out.Expire) * time.Second
	t.token, t.until = out.Token, time.Now().Add(max(life-tokenMargin, life/2))
	return t.token, nil
}

// drop forgets a token that the platform refused.
func (t *tokens) drop(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == token {
		t.token = ""
	}
}

// credentials says of a refusal to give a token what it means. An uncertain one is none here: nothing was to be sent yet.
func credentials(err error) error {
	r, ok := refusalOf(err)
	if !ok {
		return certain(err)
	}
	if r.class() == limited || r.status >= 500 {
		return certain(err)
	}
	return fault.Errorf(fault.Denied, "Feishu does not know this App ID with this App Secret; copy both again from open.feishu.cn, the app, Credentials & Basic Info: %w", r)
}
