// Package table reads the beginning of tables: CSV, TSV and Excel workbooks. They are untrusted: a separate process decodes each (package decode).
package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/document/decode"
	"xbot/internal/fault"
	"xbot/runner/charset"
)

// Bounds of reading.
const (
	MaxBytes   = 20 << 20 // of the file
	maxRows    = 500
	maxColumns = 50
	maxCell    = 1000 // characters
	maxSheets  = 1000
	maxText    = 4 << 20 // bytes of a CSV or TSV file, and of the cells of a table; the rest is not read
)

// Table is the beginning of a table.
type Table struct {
	Sheets    []string   // names of a workbook's sheets; none of other files
	Sheet     string     // the one that was read
	Rows      [][]string // at most 500, each of at most 50 cells of 1000 characters
	Truncated bool       // there is more

	size int // bytes of the cells
}

// request selects the table and the part that is read.
type request struct{ Name, Sheet string }

// decoder runs read in a separate process.
var decoder = decode.Decoder[request, Table]{
	Name: "table", What: "the table", Limits: decode.Limits{Memory: 768 << 20, CPU: 15 * time.Second, Time: time.Minute, Answer: 6 * maxText},
}

var _ = decode.Serve(decoder, decode.Ready(read))

// Knows reports whether a file's name is that of a table.
func Knows(name string) bool {
	switch kind(name) {
	case ".csv", ".tsv", ".xlsx", ".xlsm":
		return true
	}
	return false
}

// Read reads a table by its file name extension. sheet names one of a workbook; empty: the first. Errors are Invalid or TooLarge, with a sentence,
// for an unreadable table, and those of package decode.
func Read(ctx context.Context, name string, data []byte, sheet string) (Table, error) {
	if !Knows(name) {
		return Table{}, fault.Errorf(fault.Invalid, "%s is no table that can be shown: CSV, TSV and Excel (.xlsx) can", path.Base(name))
	}
	t, err := decoder.Run(ctx, request{name, sheet}, data)
	if err != nil {
		return Table{}, err
	}
	return t, t.check()
}

// check validates a table from the decoder process, which a hostile file may control.
func (t Table) check() error {
	long := func(text string) bool { return utf8.RuneCountInString(text) > maxCell+1 }
	wide := func(row []string) bool { return len(row) > maxColumns || slices.ContainsFunc(row, long) }
	if len(t.Rows) > maxRows || slices.ContainsFunc(t.Rows, wide) || len(t.Sheets) > maxSheets || slices.ContainsFunc(append(t.Sheets, t.Sheet), long) {
		return fault.Errorf(fault.Invalid, "the table cannot be read: its decoder returned an invalid result")
	}
	return nil
}

// read reads a table in this process.
func read(r request, data []byte) (Table, error) {
	switch kind(r.Name) {
	case ".csv":
		return separated(data, ',')
	case ".tsv":
		return separated(data, '\t')
	}
	return workbook(data, r.Sheet)
}

func kind(name string) string { return strings.ToLower(path.Ext(name)) }

func separated(data []byte, by rune) (Table, error) {
	text, encoding, err := charset.Decode(data)
	if err != nil || !encoding.Known() {
		return Table{}, fault.Errorf(fault.Invalid, "the encoding of the table is not known: save it as UTF-8")
	}
	data = []byte(text)
	cut := len(data) > maxText
	if cut {
		data = data[:bytes.LastIndexByte(data[:maxText], '\n')+1] // no character is cut in two
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
	if len(t.Rows) == maxRows || t.size > maxText {
		t.Truncated = true
		return false
	}
	if len(row) > maxColumns {
		row, t.Truncated = row[:maxColumns], true
	}
	row = slices.Clone(row) // what was cut off is given free
	for i, cell := range row {
		row[i] = shortened(cell)
		t.size += len(row[i])
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
