package qq

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"xbot/internal/fault"
)

const (
	// tokenMargin is how long before its end a token is replaced. In its last 60 s QQ gives out the next one, and takes both.
	tokenMargin = 55 * time.Second
	callTimeout = 30 * time.Second
	maxAnswer   = 4 << 20 // bytes of an answer of the API
)

// askToken gets a token that is good for at least the next minute. The endpoint answers 200 also when it refuses; the code decides.
func (a *Account) askToken(ctx context.Context) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	body, err := json.Marshal(map[string]string{"appId": a.set.appID, "clientSecret": a.set.secret})
	if err != nil {
		return "", 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.set.tokenURL, bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := a.http.Do(req)
	if err != nil {
		return "", 0, fault.Errorf(fault.Unavailable, "get an access token of QQ: %w", err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return "", 0, fault.Errorf(fault.Unavailable, "get an access token of QQ: %w", err)
	}
	token, life, err := readToken(res.StatusCode, raw)
	return token, life - tokenMargin, err
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
