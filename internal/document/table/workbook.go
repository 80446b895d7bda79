package table

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"

	"xbot/internal/fault"
)

// Bounds of a workbook. A few bytes of one can be gigabytes once they are read: a long text that many cells name, a row of millions of
// cells, elements without number. Excel's own limits are 16,384 cells a row and 32,767 characters a cell.
const (
	maxUnzip    = 64 << 20 // of all parts
	maxElements = 4 << 20  // of all parts; each takes about 100 bytes
	maxRowCells = 16_384
	maxRowBytes = 64 << 20 // the texts of a row's cells
)

// workbook reads values as the workbook shows them; no formula is calculated.
func workbook(data []byte, sheet string) (Table, error) {
	if err := checkWorkbook(data); err != nil {
		return Table{}, err
	}
	// Parts above the second limit would be unpacked to files; the limit prevents that.
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: maxUnzip, UnzipXMLSizeLimit: maxUnzip})
	if err != nil {
		return Table{}, unreadable(err)
	}
	defer book.Close()
	t := Table{Sheets: book.GetSheetList(), Sheet: sheet}
	switch {
	case len(t.Sheets) == 0:
		return Table{}, fault.Errorf(fault.Invalid, "the workbook has no sheet")
	case len(t.Sheets) > maxSheets:
		return Table{}, fault.Errorf(fault.TooLarge, "the workbook has more than %d sheets", maxSheets)
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

func unreadable(err error) error {
	return fault.Errorf(fault.Invalid, "the workbook cannot be read: %v", err)
}

func tooLarge(what string) error {
	return fault.Errorf(fault.Invalid, "the workbook has %s that is larger than can be shown: download it", what)
}

// checkWorkbook refuses a workbook that takes too much memory to be read. It needs little memory.
func checkWorkbook(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return unreadable(err)
	}
	w := weight{left: maxUnzip}
	for _, file := range archive.File {
		if err := w.part(file); err != nil {
			return err
		}
	}
	if w.rowBytes+w.rowShared*w.longest > maxRowBytes {
		return tooLarge("a row")
	}
	return nil
}

// weight is the size of a workbook: how long the longest of the texts is that cells share, and how much the largest row holds.
type weight struct {
	left                         int64 // bytes that may still be read
	elements                     int
	longest, rowBytes, rowShared int
}

func (w *weight) part(file *zip.File) error {
	content, err := file.Open()
	if err != nil {
		return unreadable(err)
	}
	defer content.Close()
	limited := &io.LimitedReader{R: content, N: w.left}
	defer func() { w.left = limited.N }()
	if !strings.HasSuffix(strings.ToLower(file.Name), ".xml") {
		_, err = io.Copy(io.Discard, limited) // a picture; a part that is no XML is read by nothing
	} else {
		err = w.elementsOf(limited)
	}
	if limited.N == 0 {
		return tooLarge("content")
	}
	if fault.Is(err, fault.Invalid) {
		return err
	}
	if err != nil {
		return unreadable(err)
	}
	return nil
}

// elementsOf weighs the elements of a part. Names are compared without their namespaces, as excelize does.
func (w *weight) elementsOf(part io.Reader) error {
	d := xml.NewDecoder(part)
	var text, rowText, cells, shared int
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch e := token.(type) {
		case xml.CharData:
			text += len(e)
			rowText += len(e)
		case xml.StartElement:
			if w.elements++; w.elements > maxElements {
				return tooLarge("a number of cells")
			}
			switch e.Name.Local {
			case "si":
				text = 0
			case "row":
				rowText, cells, shared = 0, 0, 0
			case "c":
				if cells++; isShared(e) {
					shared++
				}
			}
		case xml.EndElement:
			if e.Name.Local == "si" {
				w.longest = max(w.longest, text)
			}
		}
		if cells > maxRowCells {
			return tooLarge("a row")
		}
		w.rowBytes, w.rowShared = max(w.rowBytes, rowText), max(w.rowShared, shared)
	}
}

func isShared(cell xml.StartElement) bool {
	for _, a := range cell.Attr {
		if a.Name.Local == "t" {
			return a.Value == "s"
		}
	}
	return false
}
