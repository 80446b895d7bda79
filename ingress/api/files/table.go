package files

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/document/table"
	"xbot/internal/fault"
)

// FileTable is the beginning of a table.
type FileTable struct {
	Sheets    []string   `json:"sheets,omitempty" doc:"Of a workbook."`
	Sheet     string     `json:"sheet,omitempty" doc:"The one that is shown."`
	Rows      [][]string `json:"rows" doc:"At most 500, each of at most 50 cells of 1000 characters."`
	Truncated bool       `json:"truncated" doc:"There is more."`
}

func (a *Endpoints) registerTables(h huma.API) {
	onRunner(a, h, huma.Operation{
		OperationID: "read-table", Method: http.MethodGet, Path: filesPath + "/table", Summary: "Preview a table", Description: "CSV, TSV and Excel (.xlsx) files of at most 20 MB. Formulas are not calculated.",
	}, func(ctx context.Context, p location, in *struct {
		endpoint.Key
		Path  string `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"Relative to the session's folder, or absolute."`
		Sheet string `query:"sheet" maxLength:"200" doc:"Of a workbook; default: the first."`
	}) (FileTable, error) {
		return p.table(ctx, in.Path, in.Sheet)
	})
}

func (p location) table(ctx context.Context, sent, sheet string) (FileTable, error) {
	file, err := p.path(sent)
	if err != nil {
		return FileTable{}, err
	}
	data, err := p.box.ReadFile(ctx, file, 0, table.MaxBytes+1)
	if err == nil && len(data.Data) > table.MaxBytes {
		err = fault.Errorf(fault.TooLarge, "%s has more than %d MB: download it", file, table.MaxBytes>>20)
	}
	if err != nil {
		return FileTable{}, err
	}
	t, err := table.Read(ctx, file, data.Data, sheet)
	if err != nil {
		return FileTable{}, err
	}
	rows := t.Rows
	for i, row := range rows {
		if row == nil {
			rows[i] = []string{}
		}
	}
	if rows == nil {
		rows = [][]string{}
	}
	return FileTable{Sheets: t.Sheets, Sheet: t.Sheet, Rows: rows, Truncated: t.Truncated}, nil
}
