// Package bitable holds the tools for Feishu's Bitable: bases with tables of records.
package bitable

import (
	"context"
	"fmt"

	larkbitable "github.com/larksuite/oapi-sdk-go/v3/service/bitable/v1"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
)

// Tools returns the tools for bases.
func Tools(s *feishu.Service) []tool.Tool {
	return []tool.Tool{
		feishu.Define(s, "feishu_bitable_list_all", chat.ClassRead, "Lists the bases (Bitable) in a folder of the user's Feishu drive, or in its root.", listAll),
		feishu.Define(s, "feishu_bitable_list", chat.ClassRead, "Lists the tables of a base (Feishu Bitable).", listTables),
		feishu.Define(s, "feishu_bitable_fields", chat.ClassRead, "Lists the fields of a table of a base (Feishu Bitable), with their types. Call this before records are written.", listFields),
		feishu.Define(s, "feishu_bitable_record", chat.ClassIdempotent, "Queries, creates, updates or deletes records of a table of a base (Feishu Bitable), as the user.", record),
		feishu.Define(s, "feishu_bitable_batch_create", chat.ClassIdempotent, "Creates up to 500 records of a table of a base (Feishu Bitable) at once: all or none.", batch),
	}
}

// table finds the base and the table of a call. Without an id of the table, the link names it.
func table(ctx context.Context, as *feishu.Person, app, id string) (ref feishu.Ref, err error) {
	if ref, err = feishu.Resolve(ctx, as, app, "bitable", "base"); err != nil {
		return ref, err
	}
	if id == "" && ref.Table == "" {
		return ref, fault.Errorf(fault.Invalid, "table_id is missing, and the link names no table; feishu_bitable_list lists them")
	}
	if id != "" {
		ref.Table, err = feishu.ID("table_id", id)
	}
	return ref, err
}

type listAllParams struct {
	Folder    string `json:"folder,omitempty" jsonschema:"link or token of a folder"`
	PageToken string `json:"page_token,omitempty"`
}

func (listAllParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.ReadDrive} }
func (p listAllParams) Summary() string     { return p.Folder }

func listAll(ctx context.Context, as *feishu.Person, _ tool.Call, p listAllParams) (r chat.ToolResult, err error) {
	files, next, err := feishu.Files(ctx, as, p.Folder, 100, p.PageToken)
	if err != nil {
		return r, err
	}
	var items []string
	for _, f := range files {
		if feishu.Text(f.Type) == "bitable" {
			items = append(items, fmt.Sprintf("%s: %s %s", feishu.Text(f.Token), feishu.Text(f.Name), feishu.Text(f.Url)))
		}
	}
	return feishu.List("bases", items, next), nil
}

type tablesParams struct {
	App       string `json:"app" jsonschema:"link or app_token of the base"`
	PageToken string `json:"page_token,omitempty"`
}

func (p tablesParams) Needs() []feishu.Scope { return feishu.Linked(p.App, feishu.ReadBase) }
func (p tablesParams) Summary() string       { return p.App }

func listTables(ctx context.Context, as *feishu.Person, _ tool.Call, p tablesParams) (r chat.ToolResult, err error) {
	ref, err := feishu.Resolve(ctx, as, p.App, "bitable", "base")
	if err != nil {
		return r, err
	}
	q := larkbitable.NewListAppTableReqBuilder().AppToken(ref.Token).PageSize(100)
	feishu.Set(q.PageToken, p.PageToken)
	got, err := feishu.Call(ctx, as, larkbitable.New(as.Config()).AppTable.List, q.Build())
	if err != nil || got.Data == nil {
		return feishu.List("tables", nil, ""), err
	}
	var items []string
	for _, t := range got.Data.Items {
		items = append(items, feishu.Text(t.TableId)+": "+feishu.Text(t.Name))
	}
	return feishu.List("tables", items, feishu.Next(got.Data.HasMore, got.Data.PageToken)), nil
}

type fieldsParams struct {
	App       string `json:"app" jsonschema:"link or app_token of the base"`
	Table     string `json:"table_id,omitempty" jsonschema:"where the link does not name it"`
	PageToken string `json:"page_token,omitempty"`
}

func (p fieldsParams) Needs() []feishu.Scope { return feishu.Linked(p.App, feishu.ReadBase) }
func (p fieldsParams) Summary() string       { return p.App + " " + p.Table }

func listFields(ctx context.Context, as *feishu.Person, _ tool.Call, p fieldsParams) (r chat.ToolResult, err error) {
	ref, err := table(ctx, as, p.App, p.Table)
	if err != nil {
		return r, err
	}
	q := larkbitable.NewListAppTableFieldReqBuilder().AppToken(ref.Token).TableId(ref.Table).PageSize(100)
	feishu.Set(q.PageToken, p.PageToken)
	got, err := feishu.Call(ctx, as, larkbitable.New(as.Config()).AppTableField.List, q.Build())
	if err != nil || got.Data == nil {
		return feishu.List("fields", nil, ""), err
	}
	var items []string
	for _, f := range got.Data.Items {
		items = append(items, fmt.Sprintf("%s: %s (%s)", feishu.Text(f.FieldId), feishu.Text(f.FieldName), feishu.Text(f.UiType)))
	}
	return feishu.List("fields", items, feishu.Next(got.Data.HasMore, got.Data.PageToken)), nil
}
