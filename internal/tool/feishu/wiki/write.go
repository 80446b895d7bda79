package wiki

import (
	"context"

	larkwiki "github.com/larksuite/oapi-sdk-go/v3/service/wiki/v2"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
)

type createParams struct {
	Space  string `json:"space_id"`
	Title  string `json:"title"`
	Parent string `json:"parent_node,omitempty" jsonschema:"link or token; left out: the top of the wiki"`
}

func (createParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.WriteWiki} }
func (p createParams) Summary() string     { return p.Title }

// createNode is tried once: Feishu knows no key for it.
func createNode(ctx context.Context, as *feishu.Person, _ tool.Call, p createParams) (r chat.ToolResult, err error) {
	space, err := feishu.ID("space_id", p.Space)
	if err != nil {
		return r, err
	}
	b := larkwiki.NewNodeBuilder().ObjType("docx").NodeType("origin").Title(p.Title)
	if p.Parent != "" {
		parent, err := node(p.Parent)
		if err != nil {
			return r, err
		}
		b.ParentNodeToken(parent)
	}
	got, err := feishu.Call(ctx, as, larkwiki.New(as.Config()).SpaceNode.Create, larkwiki.NewCreateSpaceNodeReqBuilder().SpaceId(space).Node(b.Build()).Build())
	if err != nil {
		return r, err
	}
	text := "created a node"
	if got.Data != nil && got.Data.Node != nil {
		text += " " + tool.OneLine(feishu.Text(got.Data.Node.NodeToken), 80) + " with document " + tool.OneLine(feishu.Text(got.Data.Node.ObjToken), 80)
	}
	return tool.Text(text), nil
}

type moveParams struct {
	Space  string `json:"space_id" jsonschema:"where the node is"`
	Node   string `json:"node" jsonschema:"link or token"`
	Parent string `json:"target_parent,omitempty" jsonschema:"link or token of the node below which it goes"`
	Target string `json:"target_space,omitempty" jsonschema:"space_id, where it goes into another wiki"`
}

func (moveParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.WriteWiki} }
func (p moveParams) Summary() string     { return p.Node }

// moveNode moves it. A node that is where it shall be stays there, so a second time changes nothing.
func moveNode(ctx context.Context, as *feishu.Person, _ tool.Call, p moveParams) (r chat.ToolResult, err error) {
	token, err := node(p.Node)
	if err != nil {
		return r, err
	}
	space, err := feishu.ID("space_id", p.Space)
	if err != nil {
		return r, err
	}
	body := larkwiki.NewMoveSpaceNodeReqBodyBuilder()
	if p.Parent != "" {
		parent, err := node(p.Parent)
		if err != nil {
			return r, err
		}
		body.TargetParentToken(parent)
	}
	feishu.Set(body.TargetSpaceId, p.Target)
	_, err = feishu.Call(ctx, as, larkwiki.New(as.Config()).SpaceNode.Move, larkwiki.NewMoveSpaceNodeReqBuilder().SpaceId(space).NodeToken(token).Body(body.Build()).Build())
	return tool.Text("moved the node"), err
}
