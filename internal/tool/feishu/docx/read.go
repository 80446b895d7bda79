// Package docx holds the tools for Feishu's documents.
package docx

import (
	"context"
	"strconv"
	"strings"

	larkdocx "github.com/larksuite/oapi-sdk-go/v3/service/docx/v1"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
)

// Tools returns the tools for documents.
func Tools(s *feishu.Service) []tool.Tool {
	return []tool.Tool{
		feishu.Define(s, "feishu_docx_get_content", chat.ClassRead, "Reads a document of Feishu, or the document behind a node of a wiki, by its link, as the user. Use this for links to Feishu in messages.", content),
		feishu.Define(s, "feishu_docx_list_blocks", chat.ClassRead, "Lists the blocks of a Feishu document, with ids and the beginning of their texts.", listBlocks),
		feishu.Define(s, "feishu_docx_get_block", chat.ClassRead, "Shows one block of a Feishu document whole.", getBlock),
		feishu.Define(s, "feishu_docx_find_block", chat.ClassRead, "Finds the blocks of a Feishu document that contain a text.", findBlock),
		feishu.Define(s, "feishu_docx_create", chat.ClassOnce, "Creates an empty Feishu document, in a folder or in the root of the user's drive. Fill it with feishu_docx_insert_block.", create),
		feishu.Define(s, "feishu_docx_insert_block", chat.ClassIdempotent, "Inserts Markdown into a Feishu document, at its end or at a place.", insert),
		feishu.Define(s, "feishu_docx_delete_blocks", chat.ClassOnce, "Deletes blocks of a Feishu document: the children of a block from start to before end.", deleteBlocks),
	}
}

func find(ctx context.Context, as *feishu.Person, document string) (string, error) {
	ref, err := feishu.Resolve(ctx, as, document, "docx", "docx")
	return ref.Token, err
}

// How much of a document one call shows, in tokens, as of a page of the web.
const (
	usualTokens = 4096
	maxTokens   = 30_000
)

type contentParams struct {
	Document  string `json:"document" jsonschema:"link, also of a wiki, or document_id"`
	MaxTokens int    `json:"max_tokens,omitempty"`
	Offset    int    `json:"offset,omitempty" jsonschema:"tokens to skip"`
}

func (p contentParams) Needs() []feishu.Scope { return feishu.Linked(p.Document, feishu.ReadDoc) }
func (p contentParams) Summary() string       { return p.Document }

func content(ctx context.Context, as *feishu.Person, _ tool.Call, p contentParams) (r chat.ToolResult, err error) {
	id, err := find(ctx, as, p.Document)
	if err != nil {
		return r, err
	}
	blocks, whole, err := blocks(ctx, as, id)
	if err != nil {
		return r, err
	}
	r = feishu.Part("document", Markdown(blocks), p.Offset, feishu.Size(p.MaxTokens, usualTokens, maxTokens))
	if !whole {
		r.Content += "\nThe document is long: only its beginning was read."
	}
	return r, nil
}

// blocks reads a document up to the bounds; whole is false where more of it is left.
func blocks(ctx context.Context, as *feishu.Person, id string) (all []*larkdocx.Block, whole bool, err error) {
	from, size := "", 0
	for range maxPages {
		got, next, err := page(ctx, as, id, 500, from)
		if err != nil {
			return nil, false, err
		}
		for _, b := range got {
			size += len(words(b))
		}
		all = append(all, got...)
		if from = next; from == "" {
			return all, true, nil
		}
		if size > maxText {
			break
		}
	}
	return all, false, nil
}

type listParams struct {
	Document  string `json:"document" jsonschema:"link or document_id"`
	PageSize  int    `json:"page_size,omitempty" jsonschema:"50, at most 200"`
	PageToken string `json:"page_token,omitempty"`
}

func (p listParams) Needs() []feishu.Scope { return feishu.Linked(p.Document, feishu.ReadDoc) }
func (p listParams) Summary() string       { return p.Document }

func listBlocks(ctx context.Context, as *feishu.Person, _ tool.Call, p listParams) (r chat.ToolResult, err error) {
	id, err := find(ctx, as, p.Document)
	if err != nil {
		return r, err
	}
	blocks, next, err := page(ctx, as, id, feishu.Size(p.PageSize, 50, 200), p.PageToken)
	if err != nil {
		return r, err
	}
	var items []string
	for _, b := range blocks {
		items = append(items, line(b))
	}
	return feishu.List("blocks", items, next), nil
}

func page(ctx context.Context, as *feishu.Person, id string, size int, from string) (blocks []*larkdocx.Block, next string, err error) {
	q := larkdocx.NewListDocumentBlockReqBuilder().DocumentId(id).PageSize(size).DocumentRevisionId(-1)
	feishu.Set(q.PageToken, from)
	got, err := feishu.Call(ctx, as, larkdocx.New(as.Config()).DocumentBlock.List, q.Build())
	if err != nil || got.Data == nil {
		return nil, "", err
	}
	return got.Data.Items, feishu.Next(got.Data.HasMore, got.Data.PageToken), nil
}

// line returns a block in a list.
func line(b *larkdocx.Block) string {
	out := feishu.Text(b.BlockId)
	if b.BlockType != nil {
		out += " type " + strconv.Itoa(*b.BlockType)
	}
	if n := len(b.Children); n > 0 {
		out += " (" + strconv.Itoa(n) + " children)"
	}
	return out + ": " + tool.OneLine(words(b), 200)
}

// words returns the text of a block.
func words(b *larkdocx.Block) string {
	var out strings.Builder
	for _, t := range []*larkdocx.Text{b.Page, b.Text, b.Heading1, b.Heading2, b.Heading3, b.Heading4, b.Heading5, b.Heading6, b.Heading7, b.Heading8, b.Heading9, b.Bullet, b.Ordered, b.Code, b.Quote, b.Equation, b.Todo} {
		if t == nil {
			continue
		}
		for _, e := range t.Elements {
			if e != nil && e.TextRun != nil {
				out.WriteString(feishu.Text(e.TextRun.Content))
			}
		}
	}
	return out.String()
}

type blockParams struct {
	Document string `json:"document" jsonschema:"link or document_id"`
	Block    string `json:"block_id"`
}

func (p blockParams) Needs() []feishu.Scope { return feishu.Linked(p.Document, feishu.ReadDoc) }
func (p blockParams) Summary() string       { return p.Document + " " + p.Block }

func getBlock(ctx context.Context, as *feishu.Person, _ tool.Call, p blockParams) (r chat.ToolResult, err error) {
	block, err := feishu.ID("block_id", p.Block)
	if err != nil {
		return r, err
	}
	id, err := find(ctx, as, p.Document)
	if err != nil {
		return r, err
	}
	got, err := feishu.Call(ctx, as, larkdocx.New(as.Config()).DocumentBlock.Get, larkdocx.NewGetDocumentBlockReqBuilder().DocumentId(id).BlockId(block).DocumentRevisionId(-1).Build())
	if err != nil || got.Data == nil {
		return feishu.List("block", nil, ""), err
	}
	return feishu.List("block", []string{feishu.Compact(got.Data.Block)}, ""), nil
}

type findParams struct {
	Document string `json:"document" jsonschema:"link or document_id"`
	Text     string `json:"text"`
}

// Bounds of what is read of one document.
const (
	maxPages = 20 // of 500 blocks
	maxFound = 50
)

func (p findParams) Needs() []feishu.Scope { return feishu.Linked(p.Document, feishu.ReadDoc) }
func (p findParams) Summary() string       { return p.Text + " " + p.Document }

func findBlock(ctx context.Context, as *feishu.Person, _ tool.Call, p findParams) (r chat.ToolResult, err error) {
	if strings.TrimSpace(p.Text) == "" {
		return r, fault.Errorf(fault.Invalid, "text is empty")
	}
	id, err := find(ctx, as, p.Document)
	if err != nil {
		return r, err
	}
	var items []string
	from, wanted := "", strings.ToLower(p.Text)
	for range maxPages {
		blocks, next, err := page(ctx, as, id, 500, from)
		if err != nil {
			return r, err
		}
		for _, b := range blocks {
			if strings.Contains(strings.ToLower(words(b)), wanted) && len(items) < maxFound {
				items = append(items, line(b)+" [parent "+feishu.Text(b.ParentId)+"]")
			}
		}
		if from = next; from == "" || len(items) == maxFound {
			return feishu.List("blocks", items, ""), nil
		}
	}
	r = feishu.List("blocks", items, "")
	r.Content += "\nThe document is long: only its first 10000 blocks were looked at."
	return r, nil
}
