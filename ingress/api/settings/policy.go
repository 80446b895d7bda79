package settings

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/turn/policy"
	"xbot/internal/user/links"
	"xbot/internal/user/settings"
)

// maxPolicyBody bounds a request that holds the text of a document as a JSON string.
const maxPolicyBody = 3 * policy.MaxBytes

// PolicyText is a version of the policy document.
type PolicyText struct {
	Version int64    `json:"version" doc:"0: no policy document exists; the defaults apply."`
	Text    string   `json:"text" doc:"The document as indented JSON."`
	Notes   []string `json:"notes" doc:"Members that are outdated, have no effect or are risky."`
}

// NewPolicy is a document to put in force.
type NewPolicy struct {
	Text    string `json:"text" maxLength:"262144" doc:"JSON5; comments are not kept."`
	Version int64  `json:"version" minimum:"0" doc:"The version on which the change is based."`
	// Transfer lists the confirmations of an administrator.
	Transfer []string `json:"transfer,omitempty" maxItems:"1000" doc:"Names of identityLinks whose account is reassigned to the listed IDs, as reported by check-policy."`
}

// PolicyCheck is the result of checking a document.
type PolicyCheck struct {
	Errors []string `json:"errors" doc:"All validation errors, each with the path of its member. Empty: the document is valid."`
	Notes  []string `json:"notes"`
	// Transfers are also in Errors, unless they were confirmed.
	Transfers []links.IdentityLink `json:"transfers" doc:"Names of identityLinks whose account the document assigns to other IDs. Applying it requires an administrator's confirmation."`
}

type policyBody struct{ Body PolicyText }

func (a *Endpoints) registerPolicy(h huma.API) {
	const what = "For administrators. docs/operate/policy.md describes the document."
	huma.Register(h, huma.Operation{
		OperationID: "get-policy", Method: http.MethodGet, Path: "/api/policy", Summary: "Get the policy: how conversations are named, routed, queued, reset and limited",
		Description: what, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Version int64 `query:"version" minimum:"0" doc:"An older version; default: the one in force."`
	}) (*policyBody, error) {
		return a.policyText(ctx, in.Version)
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-policy", Method: http.MethodPut, Path: "/api/policy", Summary: "Update the policy",
		Description: "All processes apply the change within a second. 409: another administrator changed it in the meantime; 422 lists all validation errors. " + what,
		Security:    endpoint.Secured, MaxBodyBytes: maxPolicyBody,
	}, func(ctx context.Context, in *struct{ Body NewPolicy }) (*policyBody, error) {
		return a.setPolicy(ctx, in.Body)
	})
	huma.Register(h, huma.Operation{
		OperationID: "check-policy", Method: http.MethodPost, Path: "/api/policy/check", Summary: "Validate a policy without applying it",
		Description: what, Security: endpoint.Secured, MaxBodyBytes: maxPolicyBody,
	}, func(ctx context.Context, in *struct {
		Body struct {
			Text     string   `json:"text" maxLength:"262144"`
			Transfer []string `json:"transfer,omitempty" maxItems:"1000" doc:"As in set-policy."`
		}
	}) (*struct{ Body PolicyCheck }, error) {
		check, err := a.checkPolicy(ctx, in.Body.Text, in.Body.Transfer)
		return &struct{ Body PolicyCheck }{check}, err
	})
	huma.Register(h, huma.Operation{
		OperationID: "list-policy-versions", Method: http.MethodGet, Path: "/api/policy/versions", Summary: "List the versions of the policy",
		Description: what, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Limit int `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	}) (*struct {
		Body struct {
			Versions []settings.PolicyVersion `json:"versions"`
		}
	}, error) {
		if err := a.AdminOnly(ctx); err != nil {
			return nil, err
		}
		out := &struct {
			Body struct {
				Versions []settings.PolicyVersion `json:"versions"`
			}
		}{}
		var err error
		out.Body.Versions, err = a.Settings.PolicyVersions(ctx, in.Limit)
		return out, a.Problem(err)
	})
	a.registerIdentityLinks(h)
}

// checkPolicy validates a document and adds notes.
func (a *Endpoints) checkPolicy(ctx context.Context, text string, confirmed []string) (PolicyCheck, error) {
	check := PolicyCheck{Errors: []string{}, Notes: []string{}, Transfers: []links.IdentityLink{}}
	if err := a.AdminOnly(ctx); err != nil {
		return check, err
	}
	p, notes, err := policy.Parse([]byte(text))
	if err != nil {
		check.Errors = policy.FaultsOf(err)
		return check, nil
	}
	accounts, err := a.Links.LinkNotes(ctx, p)
	if err != nil {
		return check, a.Problem(err)
	}
	check.Notes = append(check.Notes, append(notes, accounts...)...)
	transfers, err := a.Links.Transfers(ctx, p)
	if err != nil {
		return check, a.Problem(err)
	}
	for _, link := range transfers {
		check.Transfers = append(check.Transfers, link)
		if !slices.Contains(confirmed, link.Name) {
			check.Errors = append(check.Errors, link.Fault())
		}
	}
	return check, nil
}

// policyText returns a version of the document; 0 is the one in force.
func (a *Endpoints) policyText(ctx context.Context, version int64) (*policyBody, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	var body []byte
	var err error
	if version == 0 {
		version, body, err = a.Settings.PolicyAfter(ctx, 0)
	} else {
		body, err = a.Settings.PolicyOf(ctx, version)
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	return shown(version, body), nil
}

// shown returns a stored document in the form for users. A document that an older version of the program accepted, and this one does
// not, is shown as well, so that it can be corrected.
func shown(version int64, body []byte) *policyBody {
	p, notes, err := policy.Parse(body)
	if err != nil {
		notes, p = policy.FaultsOf(err), &policy.Policy{}
		if json.Unmarshal(body, p) != nil {
			return &policyBody{PolicyText{Version: version, Text: string(body), Notes: notes}}
		}
	}
	return &policyBody{PolicyText{Version: version, Text: string(p.JSON()), Notes: orEmpty(notes)}}
}

func (a *Endpoints) setPolicy(ctx context.Context, in NewPolicy) (*policyBody, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	p, _, err := policy.Parse([]byte(in.Text))
	if fault.Is(err, fault.Invalid) {
		return nil, refused(policy.FaultsOf(err))
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	body := p.JSON()
	version, err := a.Settings.ReplacePolicy(ctx, settings.PolicyChange{By: auth.User(ctx).ID, Body: body, From: in.Version, Transfer: in.Transfer})
	if fault.Is(err, fault.Invalid) {
		return nil, refused(policy.FaultsOf(err))
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	if a.Policy.Live != nil {
		a.Policy.Live.Refresh()
	}
	a.Log.Info("policy changed", "version", version, "user", auth.User(ctx).Name, "transfers", in.Transfer)
	return shown(version, body), nil
}

// refused names every fault of a document.
func refused(faults []string) error {
	details := make([]error, len(faults))
	for i, sentence := range faults {
		details[i] = &huma.ErrorDetail{Message: sentence, Location: "body.text"}
	}
	return huma.NewError(http.StatusUnprocessableEntity, "nothing was changed: "+faults[0], details...)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
