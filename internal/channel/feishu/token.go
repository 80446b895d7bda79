package feishu

import (
	"context"
	"net/http"
	"time"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// tokenMargin is how long before its end a token is replaced. The platform gives a new one in the last 30 minutes.
const tokenMargin = 3 * time.Minute

// askToken asks for an access token. Accounts share none, even if they belong to the same app.
func (a *Account) askToken(ctx context.Context) (string, time.Duration, error) {
	var out struct {
		Token  string `json:"tenant_access_token"`
		Expire int64  `json:"expire"` // seconds
	}
	in := map[string]string{"app_id": a.set.appID, "app_secret": a.set.secret}
	q := &larkcore.ApiReq{HttpMethod: http.MethodPost, ApiPath: "/open-apis/auth/v3/tenant_access_token/internal", Body: in}
	if err := a.plain(ctx, q, &out); err != nil {
		return "", 0, credentials(err)
	}
	if out.Token == "" {
		return "", 0, fault.Errorf(fault.Unavailable, "Feishu gave no access token")
	}
	life := time.Duration(out.Expire) * time.Second
	return out.Token, max(life-tokenMargin, life/2), nil
}

// credentials classifies a refusal to give a token. It is never uncertain: nothing was to be sent yet. A refusal without a
// code is not Feishu's, but comes from a proxy on the way.
func credentials(err error) error {
	r, ok := refusalOf(err)
	if !ok {
		return channel.Certain(err)
	}
	switch {
	case r.class() == limited || r.status >= 500:
		return channel.Certain(err)
	case r.code == 0:
		return fault.Errorf(fault.Unavailable, "Feishu gives no access token now: %w", r)
	}
	return fault.Errorf(fault.Denied, "Feishu does not know this App ID with this App Secret; copy both again from open.feishu.cn, the app, Credentials & Basic Info: %w", r)
}
