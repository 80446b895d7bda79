package bitable

import (
	"context"
	"encoding/json"

	larkbitable "github.com/larksuite/oapi-sdk-go/v3/service/bitable/v1"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
)

const (
	maxBatch = 500     // records that Feishu takes at once
	maxBody  = 1 << 20 // bytes of what is written
	query    = "query"
	noRecord = 1254043 // RecordIdNotFound; the table exists
)

type recordParams struct {
	App       string `json:"app" jsonschema:"link or app_token of the base"`
	Table     string `json:"table_id,omitempty" jsonschema:"where the link does not name it"`
	Action    string `json:"action" jsonschema:"query, create, update or delete"`
	Record    string `json:"record_id,omitempty" jsonschema:"to update or delete"`
	Fields    string `json:"fields,omitempty" jsonschema:"JSON object, name of a field to its value, to create or update"`
	Filter    string `json:"filter,omitempty" jsonschema:"JSON for query: {\"conjunction\":\"and\",\"conditions\":[{\"field_name\":\"..\",\"operator\":\"is\",\"value\":[\"..\"]}]}"`
	PageSize  int    `json:"page_size,omitempty" jsonschema:"20, at most 100"`
	PageToken string `json:"page_token,omitempty"`
}

func (p recordParams) Needs() []feishu.Scope {
	if p.Action == query {
		return feishu.Linked(p.App, feishu.ReadBase)
	}
	return feishu.Linked(p.App, feishu.WriteBase)
}

func (p recordParams) Summary() string { return p.Action + " " + p.App + " " + p.Record }

// record reads, or writes once: a creation is known by the id of the call, and the others leave the same when they are done again.
func record(ctx context.Context, as *feishu.Person, call tool.Call, p recordParams) (r chat.ToolResult, err error) {
	at, err := table(ctx, as, p.App, p.Table)
	if err != nil {
		return r, err
	}
	of := larkbitable.New(as.Config()).AppTableRecord
	switch p.Action {
	case query:
		return search(ctx, as, at, p)
	case "create":
		fields, err := object(p.Fields)
		if err != nil {
			return r, err
		}
		got, err := feishu.Call(ctx, as, of.Create, larkbitable.NewCreateAppTableRecordReqBuilder().AppToken(at.Token).TableId(at.Table).
			ClientToken(feishu.ClientToken(call.ID, "record")).AppTableRecord(&larkbitable.AppTableRecord{Fields: fields}).Build())
		if err != nil {
			return r, err
		}
		id := ""
		if got.Data != nil && got.Data.Record != nil {
			id = feishu.Text(got.Data.Record.RecordId)
		}
		return tool.Text("created record " + tool.OneLine(id, 80)), nil
	}
	id, err := feishu.ID("record_id", p.Record)
	if err != nil {
		return r, err
	}
	switch p.Action {
	case "update":
		fields, err := object(p.Fields)
		if err != nil {
			return r, err
		}
		_, err = feishu.Call(ctx, as, of.Update, larkbitable.NewUpdateAppTableRecordReqBuilder().AppToken(at.Token).TableId(at.Table).RecordId(id).
			AppTableRecord(&larkbitable.AppTableRecord{Fields: fields}).Build())
		return tool.Text("updated record " + id), err
	case "delete":
		_, err = feishu.Call(ctx, as, of.Delete, larkbitable.NewDeleteAppTableRecordReqBuilder().AppToken(at.Token).TableId(at.Table).RecordId(id).Build())
		if feishu.Code(err) == noRecord { // this call may have deleted it before the server died
			return tool.Text("there is no record " + id + " any more"), nil
		}
		return tool.Text("deleted record " + id), err
	}
	return r, fault.Errorf(fault.Invalid, "action is query, create, update or delete")
}

func search(ctx context.Context, as *feishu.Person, at feishu.Ref, p recordParams) (r chat.ToolResult, err error) {
	var filter *larkbitable.FilterInfo
	if p.Filter != "" {
		if err := json.Unmarshal([]byte(p.Filter), &filter); err != nil {
			return r, fault.Errorf(fault.Invalid, "filter is not JSON of the form that its description shows")
		}
	}
	q := larkbitable.NewSearchAppTableRecordReqBuilder().AppToken(at.Token).TableId(at.Table).PageSize(feishu.Size(p.PageSize, 20, 100)).
		Body(&larkbitable.SearchAppTableRecordReqBody{Filter: filter})
	feishu.Set(q.PageToken, p.PageToken)
	got, err := feishu.Call(ctx, as, larkbitable.New(as.Config()).AppTableRecord.Search, q.Build())
	if err != nil || got.Data == nil {
		return feishu.List("records", nil, ""), err
	}
	var items []string
	for _, one := range got.Data.Items {
		items = append(items, feishu.Text(one.RecordId)+": "+feishu.Compact(one.Fields))
	}
	return feishu.List("records", items, feishu.Next(got.Data.HasMore, got.Data.PageToken)), nil
}

// object reads the fields of a record.
func object(text string) (fields map[string]any, err error) {
	if len(text) > maxBody || json.Unmarshal([]byte(text), &fields) != nil || len(fields) == 0 {
		return nil, fault.Errorf(fault.Invalid, "fields is a JSON object, the name of a field to its value, of at most %d bytes", maxBody)
	}
	return fields, nil
}

type batchParams struct {
	App     string `json:"app" jsonschema:"link or app_token of the base"`
	Table   string `json:"table_id,omitempty" jsonschema:"where the link does not name it"`
	Records string `json:"records" jsonschema:"JSON list of objects, name of a field to its value"`
}

func (p batchParams) Needs() []feishu.Scope { return feishu.Linked(p.App, feishu.WriteBase) }
func (p batchParams) Summary() string       { return p.App }

func batch(ctx context.Context, as *feishu.Person, call tool.Call, p batchParams) (r chat.ToolResult, err error) {
	var rows []map[string]any
	if len(p.Records) > maxBody || json.Unmarshal([]byte(p.Records), &rows) != nil || len(rows) == 0 || len(rows) > maxBatch {
		return r, fault.Errorf(fault.Invalid, "records is a JSON list of 1 to %d objects, of at most %d bytes", maxBatch, maxBody)
	}
	at, err := table(ctx, as, p.App, p.Table)
	if err != nil {
		return r, err
	}
	records := make([]*larkbitable.AppTableRecord, len(rows))
	for i, fields := range rows {
		records[i] = &larkbitable.AppTableRecord{Fields: fields}
	}
	_, err = feishu.Call(ctx, as, larkbitable.New(as.Config()).AppTableRecord.BatchCreate, larkbitable.NewBatchCreateAppTableRecordReqBuilder().
		AppToken(at.Token).TableId(at.Table).ClientToken(feishu.ClientToken(call.ID, "batch")).Body(&larkbitable.BatchCreateAppTableRecordReqBody{Records: records}).Build())
	return tool.Textf("created %s", tool.Count(len(rows), "record")), err
}
