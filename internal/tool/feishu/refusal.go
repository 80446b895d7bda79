package feishu

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"xbot/internal/fault"
	"xbot/internal/tool"
)

// refusal is a negative answer of Feishu.
type refusal struct {
	status int
	code   int64
	said   string
	scopes []string // that one of which is missing
	after  time.Duration
}

func (r *refusal) Error() string { return fmt.Sprintf("%s (code %d)", r.said, r.code) }

// The codes that say what to do (open.feishu.cn: "Generic error codes" and the pages of the calls).
var (
	tokenCodes    = []int64{20005, 99991661, 99991663, 99991664, 99991665, 99991668, 99991669, 99991671, 99991677}
	limitCodes    = []int64{99991400, 1254290, 1254291, 1061045}
	appCodes      = []int64{99991672}
	personCodes   = []int64{99991679, 99991676}
	rightsCodes   = []int64{1254302, 1254304, 1770032, 131006, 1061004, 1062501, 1063002}
	notFoundCodes = []int64{1254040, 1254041, 1254042, 1254043, 1254044, 1254045, 1770002, 1770003, 131005, 1061003, 1061007, 1063005}
)

func (r *refusal) token() bool {
	return slices.Contains(tokenCodes, r.code) || r.code == 0 && r.status == http.StatusUnauthorized
}

func (r *refusal) limited() bool {
	return slices.Contains(limitCodes, r.code) || r.status == http.StatusTooManyRequests
}

// explained is a refusal as a sentence about which permission or right is missing, and what to do.
func (p *Person) explained(r *refusal) error {
	scopes := strings.Join(r.scopes, " or ")
	if scopes == "" {
		scopes = "that it names"
	}
	switch {
	case r.token():
		return fault.Errorf(fault.Denied, "Feishu does not accept the user's account: call oauth_authorize with provider %s, then try again", p.provider.ID)
	case slices.Contains(appCodes, r.code):
		return fault.Errorf(fault.Denied, "the app at Feishu lacks the permission %s: an administrator enables it in Feishu's developer console, publishes a version, and adds it to the scopes of the provider %s under Settings → Connected accounts (%w)", scopes, p.provider.ID, r)
	case slices.Contains(personCodes, r.code):
		return fault.Errorf(fault.Denied, "the user has not allowed the permission %s: call oauth_authorize with provider %s and that scope, then try again (%w)", scopes, p.provider.ID, r)
	case r.limited():
		return fault.Errorf(fault.RateLimited, "Feishu takes no more calls at the moment: try again in a minute (%w)", r)
	case slices.Contains(notFoundCodes, r.code), r.status == http.StatusNotFound:
		return fault.Errorf(fault.NotFound, "Feishu does not find it: check the link or the id, it may have been deleted (%w)", r)
	case slices.Contains(rightsCodes, r.code), r.status == http.StatusForbidden:
		return fault.Errorf(fault.Denied, "the user's own account has no right to do this there: its owner shares it with the user, with the right to edit where it is changed (%w)", r)
	case r.status >= 500:
		return lost("Feishu failed: " + r.Error())
	}
	return fault.Errorf(fault.Invalid, "Feishu refuses it: %w", r)
}

// Code returns the code with which Feishu refused a call, or 0 if it did not.
func Code(err error) int64 {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.code
	}
	return 0
}

// maxRefusal bounds a refusal that is read, in bytes.
const maxRefusal = 64 << 10

// judged separates answers from refusals: a refusal has a code that is not 0, with any status.
func judged(resp *http.Response) (*http.Response, error) {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // what cannot be read is no JSON
	if resp.StatusCode/100 == 2 && kind != "application/json" {
		return resp, nil // a file
	}
	limit := int64(maxRefusal)
	if resp.StatusCode/100 == 2 {
		limit = maxAnswer + 1
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, limit))
	_ = resp.Body.Close() // what was read counts
	if err != nil {
		return nil, lost("the answer of Feishu broke off")
	}
	var verdict struct {
		Code  *int64 `json:"code"`
		Msg   string `json:"msg"`
		Error struct {
			Violations []struct {
				Subject string `json:"subject"`
			} `json:"permission_violations"`
		} `json:"error"`
	}
	_ = json.Unmarshal(raw, &verdict) // what cannot be read has no code
	if resp.StatusCode/100 == 2 && (verdict.Code == nil || *verdict.Code == 0) {
		resp.Body = io.NopCloser(bytes.NewReader(raw))
		return resp, nil
	}
	r := &refusal{status: resp.StatusCode, said: tool.OneLine(verdict.Msg, 300)}
	if verdict.Code != nil {
		r.code = *verdict.Code
	}
	for _, v := range verdict.Error.Violations[:min(len(verdict.Error.Violations), 8)] {
		r.scopes = append(r.scopes, tool.OneLine(v.Subject, 80))
	}
	if s, err := strconv.Atoi(resp.Header.Get("X-Ogw-Ratelimit-Reset")); err == nil {
		r.after = time.Duration(min(max(s, 0), 60)) * time.Second
	}
	return nil, r
}
