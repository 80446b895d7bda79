package feishu

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	larkwiki "github.com/larksuite/oapi-sdk-go/v3/service/wiki/v2"

	"xbot/internal/fault"
)

// Ref is the target of a link, or of an id alone.
type Ref struct {
	Kind  string // docx, wiki, base, sheets, file, folder …, as the path of the link names it; empty: an id alone
	Token string
	Table string // of a base
	View  string
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ParseRef reads a link, or an id. Where the link leads does not matter: only ids are taken from it. It returns Invalid if it is neither.
func ParseRef(text string) (Ref, error) {
	text = strings.TrimSpace(text)
	if tokenForm.MatchString(text) {
		return Ref{Token: text}, nil
	}
	wrong := fault.Errorf(fault.Invalid, "%.80q is no link of Feishu such as https://example.feishu.cn/docx/…, and no id", text)
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || len(text) > 2000 {
		return Ref{}, wrong
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) > 2 && parts[0] == "drive" {
		parts = parts[1:]
	}
	if len(parts) < 2 {
		return Ref{}, wrong
	}
	r := Ref{Kind: parts[0], Token: parts[1], Table: u.Query().Get("table"), View: u.Query().Get("view")}
	for _, id := range []string{r.Kind, r.Token} {
		if !tokenForm.MatchString(id) {
			return Ref{}, wrong
		}
	}
	for _, id := range []*string{&r.Table, &r.View} {
		if !tokenForm.MatchString(*id) {
			*id = ""
		}
	}
	return r, nil
}

// ID checks a plain id.
func ID(what, text string) (string, error) {
	if text = strings.TrimSpace(text); !tokenForm.MatchString(text) {
		return "", fault.Errorf(fault.Invalid, "%s %.80q is no id of Feishu", what, text)
	}
	return text, nil
}

// Resolve returns what a link or an id leads to, of one of the kinds that the tool can use; behind a node of a wiki is its document. kinds are
// names in links, objType is what a node calls it.
func Resolve(ctx context.Context, p *Person, text, objType string, kinds ...string) (Ref, error) {
	r, err := ParseRef(text)
	if err != nil || r.Kind == "" {
		return r, err
	}
	if r.Kind == "wiki" {
		node, err := Node(ctx, p, r.Token)
		if err != nil {
			return r, err
		}
		if kind := Text(node.ObjType); kind != objType {
			return r, fault.Errorf(fault.Invalid, "behind this node of the wiki stands something of kind %.20q, and this tool takes %s", kind, objType)
		}
		r.Kind, r.Token = "", Text(node.ObjToken)
		if !tokenForm.MatchString(r.Token) {
			return r, lost("Feishu named no document behind the node")
		}
		return r, nil
	}
	if slices.Contains(kinds, r.Kind) {
		return r, nil
	}
	return r, fault.Errorf(fault.Invalid, "the link leads to something of kind %.20q, and this tool takes %s", r.Kind, strings.Join(kinds, " or "))
}

// Node finds a node of a wiki.
func Node(ctx context.Context, p *Person, token string) (*larkwiki.Node, error) {
	got, err := Call(ctx, p, larkwiki.New(p.Config()).Space.GetNode, larkwiki.NewGetNodeSpaceReqBuilder().Token(token).Build())
	if err != nil {
		return nil, err
	}
	if got.Data == nil || got.Data.Node == nil {
		return nil, lost("Feishu answered without a node")
	}
	return got.Data.Node, nil
}

// Text returns the string that a pointer of the library points to.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// True reports whether a pointer of the library leads to true.
func True(b *bool) bool { return b != nil && *b }
