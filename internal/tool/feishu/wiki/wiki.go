// Package wiki holds the tools for Feishu's wikis (knowledge bases).
package wiki

import (
	"context"
	"fmt"

	larksearch "github.com/larksuite/oapi-sdk-go/v3/service/wiki/v1"
	larkwiki "github.com/larksuite/oapi-sdk-go/v3/service/wiki/v2"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
)

// Tools returns the tools for wikis.
func Tools(s *feishu.Service) []tool.Tool {
	return []tool.Tool{
		feishu.Define(s, "feishu_search_wiki", chat.ClassRead, "Searches the Feishu wikis that the user can read.", search),
		feishu.Define(s, "feishu_wiki_list_spaces", chat.ClassRead, "Lists the Feishu wikis that the user can read.", spaces),
		feishu.Define(s, "feishu_wiki_list_nodes", chat.ClassRead, "Lists the nodes of a Feishu wiki, or those below a node.", nodes),
		feishu.Define(s, "feishu_wiki_get_node", chat.ClassRead, "Says what stands behind a node of a Feishu wiki, by its link or token.", getNode),
		feishu.Define(s, "feishu_wiki_create_node", chat.ClassOnce, "Creates a node with an empty document in a Feishu wiki.", createNode),
		feishu.Define(s, "feishu_wiki_move_node", chat.ClassIdempotent, "Moves a node of a Feishu wiki, with all below it.", moveNode),
	}
}

func shown(n *larkwiki.Node) string {
	out := fmt.Sprintf("%s: %s (%s %s, space %s)", feishu.Text(n.NodeToken), feishu.Text(n.Title), feishu.Text(n.ObjType), feishu.Text(n.ObjToken), feishu.Text(n.SpaceId))
	if feishu.True(n.HasChild) {
		out += " has nodes below it"
	}
	return out
}

type searchParams struct {
	Query     string `json:"query"`
	Space     string `json:"space_id,omitempty"`
	PageToken string `json:"page_token,omitempty"`
}

func (searchParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.ReadWiki} }
func (p searchParams) Summary() string     { return p.Query }

func search(ctx context.Context, as *feishu.Person, _ tool.Call, p searchParams) (r chat.ToolResult, err error) {
	body := larksearch.NewSearchNodeReqBodyBuilder().Query(p.Query)
	feishu.Set(body.SpaceId, p.Space)
	q := larksearch.NewSearchNodeReqBuilder().PageSize(20).Body(body.Build())
	feishu.Set(q.PageToken, p.PageToken)
	got, err := feishu.Call(ctx, as, larksearch.New(as.Config()).Node.Search, q.Build())
	if err != nil || got.Data == nil {
		return feishu.List("nodes", nil, ""), err
	}
	var items []string
	for _, n := range got.Data.Items {
		items = append(items, fmt.Sprintf("%s: %s %s", feishu.Text(n.NodeId), feishu.Text(n.Title), feishu.Text(n.Url)))
	}
	return feishu.List("nodes", items, feishu.Next(got.Data.HasMore, got.Data.PageToken)), nil
}

type spacesParams struct {
	PageToken string `json:"page_token,omitempty"`
}

func (spacesParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.ReadWiki} }
func (spacesParams) Summary() string       { return "" }

func spaces(ctx context.Context, as *feishu.Person, _ tool.Call, p spacesParams) (r chat.ToolResult, err error) {
	q := larkwiki.NewListSpaceReqBuilder().PageSize(50)
	feishu.Set(q.PageToken, p.PageToken)
	got, err := feishu.Call(ctx, as, larkwiki.New(as.Config()).Space.List, q.Build())
	if err != nil || got.Data == nil {
		return feishu.List("spaces", nil, ""), err
	}
	var items []string
	for _, s := range got.Data.Items {
		items = append(items, fmt.Sprintf("%s: %s – %s", feishu.Text(s.SpaceId), feishu.Text(s.Name), tool.OneLine(feishu.Text(s.Description), 200)))
	}
	return feishu.List("spaces", items, feishu.Next(got.Data.HasMore, got.Data.PageToken)), nil
}

type nodesParams struct {
	Space     string `json:"space_id"`
	Parent    string `json:"parent_node,omitempty" jsonschema:"link or token"`
	PageToken string `json:"page_token,omitempty"`
}

func (nodesParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.ReadWiki} }
func (p nodesParams) Summary() string     { return p.Space + " " + p.Parent }

func nodes(ctx context.Context, as *feishu.Person, _ tool.Call, p nodesParams) (r chat.ToolResult, err error) {
	space, err := feishu.ID("space_id", p.Space)
	if err != nil {
		return r, err
	}
	q := larkwiki.NewListSpaceNodeReqBuilder().SpaceId(space).PageSize(50)
	if p.Parent != "" {
		parent, err := node(p.Parent)
		if err != nil {
			return r, err
		}
		q.ParentNodeToken(parent)
	}
	feishu.Set(q.PageToken, p.PageToken)
	got, err := feishu.Call(ctx, as, larkwiki.New(as.Config()).SpaceNode.List, q.Build())
	if err != nil || got.Data == nil {
		return feishu.List("nodes", nil, ""), err
	}
	var items []string
	for _, n := range got.Data.Items {
		items = append(items, shown(n))
	}
	return feishu.List("nodes", items, feishu.Next(got.Data.HasMore, got.Data.PageToken)), nil
}

// node reads a link to a node, or its token.
func node(text string) (string, error) {
	ref, err := feishu.ParseRef(text)
	if err == nil && ref.Kind != "" && ref.Kind != "wiki" {
		err = fault.Errorf(fault.Invalid, "the link leads to something of kind %.20q, and this tool takes nodes of wikis", ref.Kind)
	}
	return ref.Token, err
}

type nodeParams struct {
	Node string `json:"node" jsonschema:"link or token"`
}

func (nodeParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.ReadWiki} }
func (p nodeParams) Summary() string     { return p.Node }

func getNode(ctx context.Context, as *feishu.Person, _ tool.Call, p nodeParams) (r chat.ToolResult, err error) {
	token, err := node(p.Node)
	if err != nil {
		return r, err
	}
	n, err := feishu.Node(ctx, as, token)
	if err != nil {
		return r, err
	}
	return feishu.List("node", []string{shown(n)}, ""), nil
}
