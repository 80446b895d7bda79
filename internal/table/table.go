// Package table reads the beginning of tables that other programs wrote: CSV, TSV and Excel workbooks.
package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"xbot/internal/fault"
)

// Bounds of what is read.
const (
	MaxBytes   = 20 << 20 // of the file
	maxRows    = 500
	maxColumns = 50
	maxCell    = 1000 // characters
	maxUnzip   = 64 << 20
	maxPart    = 16 << 20 // of a workbook, held in memory
)

// Table is the beginning of a table.
type Table struct {
	Sheets    []string   // names of a workbook's sheets; none of other files
	Sheet     string     // the one that was read
	Rows      [][]string // at most 500, each of at most 50 cells of 1000 characters
	Truncated bool       // there is more
}

// Knows reports whether a file's name is that of a table.
func Knows(name string) bool {
	switch kind(name) {
	case ".csv", ".tsv", ".xlsx", ".xlsm":
		return true
	}
	return false
}

// Read reads a table by its name's ending. Sheet names one of a workbook; empty: the first. What cannot be read is Invalid, with a
// sentence.
func Read(name string, data []byte, sheet string) (Table, error) {
	switch kind(name) {
	case ".csv":
		return separated(data, ',')
	case ".tsv":
		return separated(data, '\t')
	case ".xlsx", ".xlsm":
		return workbook(data, sheet)
	}
	return Table{}, fault.Errorf(fault.Invalid, "%s is no table that can be shown: CSV, TSV and Excel (.xlsx) can", path.Base(name))
}

func kind(name string) string { return strings.ToLower(path.Ext(name)) }

func separated(data []byte, by rune) (Table, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return Table{}, fault.Errorf(fault.Invalid, "the table is not written in UTF-8")
	}
	if first, _, _ := bytes.Cut(data, []byte("\n")); by == ',' && bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		by = ';' // as spreadsheets write it where the comma divides decimals
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = by, -1, true
	var t Table
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return Table{}, fault.Errorf(fault.Invalid, "the table cannot be read: %v", err)
		}
		if !t.add(row) {
			return t, nil
		}
	}
}

// workbook reads values as the workbook shows them; no formula is calculated.
func workbook(data []byte, sheet string) (Table, error) {
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: maxUnzip, UnzipXMLSizeLimit: maxPart})
	if err != nil {
		return Table{}, fault.Errorf(fault.Invalid, "the workbook cannot be read: %v", err)
	}
	defer book.Close()
	t := Table{Sheets: book.GetSheetList(), Sheet: sheet}
	if len(t.Sheets) == 0 {
		return Table{}, fault.Errorf(fault.Invalid, "the workbook has no sheet")
	}
	if sheet == "" {
		t.Sheet = t.Sheets[0]
	}
	rows, err := book.Rows(t.Sheet)
	if err != nil {
		return Table{}, fault.Errorf(fault.Invalid, "the sheet %q cannot be read: %v", t.Sheet, err)
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.Columns()
		if err != nil {
			return Table{}, fault.Errorf(fault.Invalid, "the sheet %q cannot be read: %v", t.Sheet, err)
		}
		if !t.add(row) {
			break
		}
	}
	return t, nil
}

// add takes a row, and reports whether there is room for another.
func (t *Table) add(row []string) bool {
	if len(t.Rows) == maxRows {
		t.Truncated = true
		return false
	}
	if len(row) > maxColumns {
		row, t.Truncated = row[:maxColumns], true
	}
	for i, cell := range row {
		if utf8.RuneCountInString(cell) > maxCell {
			row[i] = string([]rune(cell)[:maxCell]) + "…"
		}
	}
	t.Rows = append(t.Rows, row)
	return true
}
