package feishu

import (
	"slices"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Scope is a permission that a call needs, as Feishu names it: one of the names is enough, and the first that may be asked for is.
type Scope []string

// The scopes of the services (open.feishu.cn, "API permissions").
var (
	ReadBase   = Scope{"bitable:app:readonly", "bitable:app"}
	WriteBase  = Scope{"bitable:app"}
	ReadDoc    = Scope{"docx:document:readonly", "docx:document"}
	WriteDoc   = Scope{"docx:document"}
	Convert    = Scope{"docx:document.block:convert"}
	ReadWiki   = Scope{"wiki:wiki:readonly", "wiki:wiki"}
	WriteWiki  = Scope{"wiki:wiki"}
	ReadDrive  = Scope{"drive:drive:readonly", "drive:drive"}
	WriteDrive = Scope{"drive:drive"}
)

// lacking returns the scopes to ask for in addition to those that were asked for. It returns Denied if one may not be asked for.
func lacking(p chat.OAuthProvider, asked []string, needs []Scope) (out []string, err error) {
	allowed := slices.Concat(p.Scopes, p.MoreScopes)
	for _, need := range needs {
		if slices.ContainsFunc(need, func(s string) bool { return slices.Contains(asked, s) || slices.Contains(out, s) }) {
			continue
		}
		i := slices.IndexFunc(need, func(s string) bool { return slices.Contains(allowed, s) })
		if i < 0 {
			return nil, fault.Errorf(fault.Denied,
				"it needs the permission %s, which may not be asked for at %s: an administrator adds it to the further scopes on the page under Settings → Connected accounts, and to the app in Feishu's developer console",
				need[0], p.Name)
		}
		out = append(out, need[i])
	}
	return out, nil
}

// Linked returns the scopes of a call about a document: those given, and one to read the wiki if the link leads to a node of one.
func Linked(link string, scopes ...Scope) []Scope {
	if r, err := ParseRef(link); err == nil && r.Kind == "wiki" {
		scopes = append(scopes, ReadWiki)
	}
	return scopes
}
