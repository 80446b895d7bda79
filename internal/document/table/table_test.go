package table_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"xbot/internal/document/table"
	"xbot/internal/fault"
)

func TestRead_TakesCommasTabsAndSemicolons(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv":      "\ufeffname,n\n\"a, b\",1\n",
		"b.CSV":      "name;n\n\"a, b\";1\n",
		"deep/c.tsv": "name\tn\na, b\t1",
	} {
		got, err := table.Read(t.Context(), name, []byte(text), "")
		require.NoError(t, err, name)
		require.Equal(t, [][]string{{"name", "n"}, {"a, b", "1"}}, got.Rows, name)
		require.False(t, got.Truncated)
	}
}

func TestRead_TakesTheSheetsOfAWorkbook(t *testing.T) {
	book := excelize.NewFile()
	_, err := book.NewSheet("数据")
	require.NoError(t, err)
	require.NoError(t, book.SetSheetRow("Sheet1", "A1", &[]any{"x", 1.5}))
	require.NoError(t, book.SetSheetRow("数据", "B2", &[]any{"y"}))
	var out bytes.Buffer
	require.NoError(t, book.Write(&out))
	first, err := table.Read(t.Context(), "b.xlsx", out.Bytes(), "")
	require.NoError(t, err)
	require.Equal(t, table.Table{Sheets: []string{"Sheet1", "数据"}, Sheet: "Sheet1", Rows: [][]string{{"x", "1.5"}}}, first)
	second, err := table.Read(t.Context(), "b.xlsx", out.Bytes(), "数据")
	require.NoError(t, err)
	require.Equal(t, [][]string{nil, {"", "y"}}, second.Rows)
	_, err = table.Read(t.Context(), "b.xlsx", out.Bytes(), "nothing")
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
}

func TestRead_IsBounded(t *testing.T) {
	row := strings.Repeat("x,", 80) + strings.Repeat("y", 3000)
	got, err := table.Read(t.Context(), "a.csv", []byte(strings.Repeat(row+"\n", 700)), "")
	require.NoError(t, err)
	require.True(t, got.Truncated)
	require.Len(t, got.Rows, 500)
	require.Len(t, got.Rows[0], 50)
	long, err := table.Read(t.Context(), "a.csv", []byte(strings.Repeat("y", 3000)), "")
	require.NoError(t, err)
	require.Len(t, []rune(long.Rows[0][0]), 1001)
}

func TestRead_RefusesWhatIsNoTable(t *testing.T) {
	for name, data := range map[string][]byte{
		"a.csv": {0xff, 0xfe, 0}, "a.xlsx": []byte("PK no zip"), "b.xlsx": nil, "a.pdf": []byte("x"), "bomb.xlsx": bomb(t), "one text in many cells.xlsx": shared(t, 1<<20, 1500), "a row of a million cells.xlsx": shared(t, 1, 1<<20),
	} {
		_, err := table.Read(t.Context(), name, data, "")
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
	}
}

// bomb is a workbook that grows to a gigabyte.
func bomb(t *testing.T) []byte {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for n := range 16 {
		file, err := archive.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", n))
		require.NoError(t, err)
		zeros := make([]byte, 1<<20)
		for range 64 {
			_, err := file.Write(zeros)
			require.NoError(t, err)
		}
	}
	require.NoError(t, archive.Close())
	return out.Bytes()
}

// shared is a workbook of one row, whose cells all show the same text.
func shared(t *testing.T, length, cells int) []byte {
	book := excelize.NewFile()
	require.NoError(t, book.SetCellValue("Sheet1", "A1", "x"))
	var whole, out bytes.Buffer
	require.NoError(t, book.Write(&whole))
	from, err := zip.NewReader(bytes.NewReader(whole.Bytes()), int64(whole.Len()))
	require.NoError(t, err)
	to := zip.NewWriter(&out)
	for _, file := range from.File {
		part, err := to.Create(file.Name)
		require.NoError(t, err)
		switch file.Name {
		case "xl/sharedStrings.xml":
			_, err = fmt.Fprintf(part, `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>%s</t></si></sst>`, strings.Repeat("x", length))
		case "xl/worksheets/sheet1.xml":
			_, err = fmt.Fprintf(part, `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">%s</row></sheetData></worksheet>`, strings.Repeat(`<c t="s"><v>0</v></c>`, cells))
		default:
			var r io.ReadCloser
			r, err = file.Open()
			require.NoError(t, err)
			_, err = io.Copy(part, r)
		}
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	return out.Bytes()
}

func TestRead_TakesAWorkbookWithLongTextsAndManyCells(t *testing.T) {
	got, err := table.Read(t.Context(), "a.xlsx", shared(t, 32_767, 1000), "")
	require.NoError(t, err)
	require.True(t, got.Truncated)
	require.Len(t, got.Rows[0], 50)
	require.Len(t, []rune(got.Rows[0][0]), 1001)
}

func TestRead_TakesTheBeginningOfALargeText(t *testing.T) {
	got, err := table.Read(t.Context(), "a.csv", []byte(strings.Repeat("数据,2\n", 1<<20)), "")
	require.NoError(t, err)
	require.True(t, got.Truncated)
	require.Len(t, got.Rows, 500)
	commas, err := table.Read(t.Context(), "commas.csv", bytes.Repeat([]byte(","), 20<<20), "")
	require.NoError(t, err)
	require.True(t, commas.Truncated)
	require.Empty(t, commas.Rows)
}
