package docx

import (
	"context"
	"strings"

	larkdocx "github.com/larksuite/oapi-sdk-go/v3/service/docx/v1"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
)

type createParams struct {
	Title  string `json:"title"`
	Folder string `json:"folder,omitempty" jsonschema:"link or token of a folder"`
}

func (createParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.WriteDoc} }
func (p createParams) Summary() string     { return p.Title }

// create is tried once: Feishu knows no key for it.
func create(ctx context.Context, as *feishu.Person, _ tool.Call, p createParams) (r chat.ToolResult, err error) {
	body := larkdocx.NewCreateDocumentReqBodyBuilder().Title(p.Title)
	if err := feishu.SetFolder(ctx, as, body.FolderToken, p.Folder); err != nil {
		return r, err
	}
	got, err := feishu.Call(ctx, as, larkdocx.New(as.Config()).Document.Create, larkdocx.NewCreateDocumentReqBuilder().Body(body.Build()).Build())
	if err != nil {
		return r, err
	}
	id := ""
	if got.Data != nil && got.Data.Document != nil {
		id = feishu.Text(got.Data.Document.DocumentId)
	}
	return tool.Text("created document " + tool.OneLine(id, 80)), nil
}

type insertParams struct {
	Document string `json:"document" jsonschema:"link or document_id"`
	Markdown string `json:"markdown"`
	Parent   string `json:"parent_id,omitempty" jsonschema:"block in which it goes; left out: the document"`
	Index    int    `json:"index,omitempty" jsonschema:"1 for the first place; left out: the end"`
}

const (
	maxMarkdown = 1 << 20 // bytes
	maxBlocks   = 1000    // that Feishu takes at once
)

func (p insertParams) Needs() []feishu.Scope {
	return feishu.Linked(p.Document, feishu.WriteDoc, feishu.Convert)
}
func (p insertParams) Summary() string { return p.Document }

// insert is known by the id of its call: Feishu inserts once.
func insert(ctx context.Context, as *feishu.Person, call tool.Call, p insertParams) (r chat.ToolResult, err error) {
	if strings.TrimSpace(p.Markdown) == "" || len(p.Markdown) > maxMarkdown || p.Index < 0 {
		return r, fault.Errorf(fault.Invalid, "markdown has 1 to %d bytes, and index is not negative", maxMarkdown)
	}
	id, parent, err := findParent(ctx, as, p.Document, p.Parent)
	if err != nil {
		return r, err
	}
	of := larkdocx.New(as.Config())
	made, err := feishu.Call(ctx, as, of.Document.Convert, larkdocx.NewConvertDocumentReqBuilder().
		Body(larkdocx.NewConvertDocumentReqBodyBuilder().ContentType("markdown").Content(p.Markdown).Build()).Build())
	if err != nil {
		return r, err
	}
	if made.Data == nil || len(made.Data.Blocks) == 0 || len(made.Data.Blocks) > maxBlocks {
		return r, fault.Errorf(fault.Invalid, "the Markdown makes no block, or more than %d: insert less at once", maxBlocks)
	}
	for _, b := range made.Data.Blocks {
		b.ParentId = nil
		if b.Table != nil && b.Table.Property != nil {
			b.Table.Property.MergeInfo = nil // Feishu makes it and does not take it
		}
	}
	_, err = feishu.Call(ctx, as, of.DocumentBlockDescendant.Create, larkdocx.NewCreateDocumentBlockDescendantReqBuilder().DocumentId(id).BlockId(parent).
		DocumentRevisionId(-1).ClientToken(feishu.ClientToken(call.ID, "insert")).Body(larkdocx.NewCreateDocumentBlockDescendantReqBodyBuilder().
		ChildrenId(made.Data.FirstLevelBlockIds).Index(p.Index-1).Descendants(made.Data.Blocks).Build()).Build())
	if err != nil {
		return r, err
	}
	text := "inserted " + tool.Count(len(made.Data.Blocks), "block")
	if n := len(made.Data.BlockIdToImageUrls); n > 0 {
		text += "; " + tool.Count(n, "picture") + " stayed empty: Feishu takes no pictures from Markdown"
	}
	return tool.Text(text), nil
}

// findParent finds a document, and the block in it whose children a call changes: the document itself if there is none.
func findParent(ctx context.Context, as *feishu.Person, document, block string) (id, parent string, err error) {
	if id, err = find(ctx, as, document); err != nil || block == "" {
		return id, id, err
	}
	parent, err = feishu.ID("parent_id", block)
	return id, parent, err
}

type deleteParams struct {
	Document string `json:"document" jsonschema:"link or document_id"`
	Parent   string `json:"parent_id,omitempty" jsonschema:"block whose children they are; left out: the document"`
	Start    int    `json:"start" jsonschema:"0 is the first child"`
	End      int    `json:"end" jsonschema:"the first that stays"`
}

func (p deleteParams) Needs() []feishu.Scope { return feishu.Linked(p.Document, feishu.WriteDoc) }
func (p deleteParams) Summary() string       { return p.Document }

// deleteBlocks is tried once: the same numbers mean other blocks afterwards.
func deleteBlocks(ctx context.Context, as *feishu.Person, call tool.Call, p deleteParams) (r chat.ToolResult, err error) {
	if p.Start < 0 || p.End <= p.Start {
		return r, fault.Errorf(fault.Invalid, "end must be greater than start")
	}
	id, parent, err := findParent(ctx, as, p.Document, p.Parent)
	if err != nil {
		return r, err
	}
	_, err = feishu.Call(ctx, as, larkdocx.New(as.Config()).DocumentBlockChildren.BatchDelete, larkdocx.NewBatchDeleteDocumentBlockChildrenReqBuilder().
		DocumentId(id).BlockId(parent).DocumentRevisionId(-1).ClientToken(feishu.ClientToken(call.ID, "delete")).
		Body(larkdocx.NewBatchDeleteDocumentBlockChildrenReqBodyBuilder().StartIndex(p.Start).EndIndex(p.End).Build()).Build())
	return tool.Textf("deleted %s", tool.Count(p.End-p.Start, "block")), err
}
