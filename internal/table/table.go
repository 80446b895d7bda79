// Package table reads the beginning of tables that other programs wrote: CSV, TSV and Excel workbooks.
package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"xbot/internal/fault"
)

// Bounds of what is read.
const (
	MaxBytes   = 20 << 20 // of the file
	maxRows    = 500
	maxColumns = 50
	maxCell    = 1000    // characters
	maxText    = 4 << 20 // of a CSV or TSV file, read as far as that
)

// one table at a time: a hostile one may take some hundred megabytes until it is refused or shown.
var one sync.Mutex

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
	one.Lock()
	defer one.Unlock()
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
	cut := len(data) > maxText
	if cut {
		data = data[:bytes.LastIndexByte(data[:maxText], '\n')+1] // no character is cut in two
	}
	if !utf8.Valid(data) {
		return Table{}, fault.Errorf(fault.Invalid, "the table is not written in UTF-8")
	}
	if first, _, _ := bytes.Cut(data, []byte("\n")); by == ',' && bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		by = ';' // as spreadsheets write it where the comma divides decimals
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = by, -1, true
	t := Table{Truncated: cut}
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

// add takes a row, and reports whether there is room for another.
func (t *Table) add(row []string) bool {
	if len(t.Rows) == maxRows {
		t.Truncated = true
		return false
	}
	if len(row) > maxColumns {
		row, t.Truncated = row[:maxColumns], true
	}
	row = slices.Clone(row) // what was cut off is given free
	for i, cell := range row {
		row[i] = shortened(cell)
	}
	t.Rows = append(t.Rows, row)
	return true
}

func shortened(cell string) string {
	if len(cell) <= maxCell {
		return strings.Clone(cell)
	}
	n := 0
	for i := range cell {
		if n++; n > maxCell {
			return cell[:i] + "…"
		}
	}
	return strings.Clone(cell)
}
