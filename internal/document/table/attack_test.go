package table_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"xbot/internal/document/decode/decodetest"
	"xbot/internal/document/table"
)

// rewritten returns a small workbook with some parts replaced.
func rewritten(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	book := excelize.NewFile()
	require.NoError(t, book.SetCellValue("Sheet1", "A1", 45000.5))
	var whole, out bytes.Buffer
	require.NoError(t, book.Write(&whole))
	from, err := zip.NewReader(bytes.NewReader(whole.Bytes()), int64(whole.Len()))
	require.NoError(t, err)
	to := zip.NewWriter(&out)
	for _, file := range from.File {
		if _, other := parts[file.Name]; other {
			continue
		}
		part, err := to.Create(file.Name)
		require.NoError(t, err)
		r, err := file.Open()
		require.NoError(t, err)
		_, err = io.Copy(part, r)
		require.NoError(t, err)
	}
	for name, content := range parts {
		part, err := to.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(part, content)
		require.NoError(t, err)
	}
	require.NoError(t, to.Close())
	return out.Bytes()
}

const (
	sheet1    = "xl/worksheets/sheet1.xml"
	namespace = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
)

// sheet returns the part of a sheet with such rows.
func sheet(rows string) map[string]string {
	return map[string]string{sheet1: `<worksheet ` + namespace + `><sheetData>` + rows + `</sheetData></worksheet>`}
}

// styled returns a workbook whose one number has a format.
func styled(t testing.TB, format string) []byte {
	t.Helper()
	return rewritten(t, map[string]string{
		"xl/styles.xml": `<styleSheet ` + namespace + `><numFmts count="1"><numFmt numFmtId="200" formatCode="` + format + `"/></numFmts><cellXfs count="2"><xf/><xf numFmtId="200" applyNumberFormat="1"/></cellXfs></styleSheet>`,
		sheet1:          sheet(`<row r="1"><c r="A1" s="1"><v>45000.5</v></c></row>`)[sheet1],
	})
}

// lying returns an archive whose directory has a wrong size for its only part.
func lying(t testing.TB, size uint32) []byte {
	t.Helper()
	file := rewritten(t, sheet(strings.Repeat(" ", 1<<20)))
	at := bytes.Index(file, []byte("PK\x01\x02"))
	require.Positive(t, at)
	binary.LittleEndian.PutUint32(file[at+24:], size)
	return file
}

func TestAttack_ATableHarmsNobodyElse(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		data []byte
	}{
		"a number format of 1 MB":                    {"a.xlsx", styled(t, strings.Repeat("0", 1<<20))},
		"a number format of 1 MB of colours":         {"a.xlsx", styled(t, strings.Repeat("[Red]", 1<<18))},
		"a number format of 1 MB of sections":        {"a.xlsx", styled(t, strings.Repeat(";", 1<<20))},
		"a number format of 1 MB of dates":           {"a.xlsx", styled(t, strings.Repeat("yyyy-", 1<<18))},
		"a number format of 1 MB of fractions":       {"a.xlsx", styled(t, strings.Repeat("?/", 1<<19))},
		"a number format of 1 MB of quotes":          {"a.xlsx", styled(t, strings.Repeat("&quot;", 1<<18))},
		"an archive of a gigabyte":                   {"a.xlsx", bomb(t)},
		"a text of 1 MB in 1,500 cells":              {"a.xlsx", shared(t, 1<<20, 1500)},
		"a text of 32 KB in 16,000 cells":            {"a.xlsx", shared(t, 32_767, 16_000)},
		"a row of a million cells":                   {"a.xlsx", shared(t, 1, 1<<20)},
		"a row with the number 2^31":                 {"a.xlsx", rewritten(t, sheet(`<row r="2147483647"><c r="A2147483647"><v>1</v></c></row>`))},
		"a cell in the column ZZZZZZ":                {"a.xlsx", rewritten(t, sheet(`<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>`))},
		"elements a million deep":                    {"a.xlsx", rewritten(t, sheet(strings.Repeat("<a>", 1<<20)))},
		"formatted texts a million deep":             {"a.xlsx", rewritten(t, map[string]string{"xl/sharedStrings.xml": `<sst ` + namespace + `>` + strings.Repeat("<si>", 1<<20)})},
		"attributes of 10 MB":                        {"a.xlsx", rewritten(t, sheet(`<row r="`+strings.Repeat("1", 10<<20)+`"/>`))},
		"a million attributes":                       {"a.xlsx", rewritten(t, sheet(`<row `+strings.Repeat(`a="" `, 1<<20)+`/>`))},
		"entities that name one another":             {"a.xlsx", rewritten(t, map[string]string{sheet1: `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><worksheet>&b;</worksheet>`})},
		"an entity of a file":                        {"a.xlsx", rewritten(t, map[string]string{sheet1: `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet ` + namespace + `><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>&a;</t></is></c></row></sheetData></worksheet>`})},
		"a sheet of another file":                    {"a.xlsx", rewritten(t, map[string]string{"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="../../../../etc/passwd"/></Relationships>`})},
		"a million sheets":                           {"a.xlsx", rewritten(t, map[string]string{"xl/workbook.xml": `<workbook ` + namespace + `><sheets>` + strings.Repeat(`<sheet name="x" sheetId="1"/>`, 1<<20) + `</sheets></workbook>`})},
		"an encoding that nobody knows":              {"a.xlsx", rewritten(t, map[string]string{sheet1: `<?xml version="1.0" encoding="x-bomb"?><worksheet/>`})},
		"a part that says it has no bytes":           {"a.xlsx", lying(t, 0)},
		"a part that says it has 4 GB":               {"a.xlsx", lying(t, 1<<32-1)},
		"a workbook that is encrypted":               {"a.xlsx", append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 1<<20)...)},
		"a CSV file with a row of 20 MB":             {"a.csv", bytes.Repeat([]byte("x,"), 10<<20)},
		"a CSV file with a cell of 20 MB":            {"a.csv", bytes.Repeat([]byte("x"), 20<<20)},
		"a CSV file with a quote that never ends":    {"a.csv", append([]byte(`"`), bytes.Repeat([]byte("x\n"), 10<<20)...)},
		"a CSV file of quotes":                       {"a.csv", bytes.Repeat([]byte(`"`), 20<<20)},
		"a CSV file of 10 million rows":              {"a.csv", bytes.Repeat([]byte("\n,"), 10<<20)},
		"a TSV file with a million columns":          {"a.tsv", bytes.Repeat([]byte("\t"), 1<<20)},
		"a table that names itself by a path":        {"../../../../etc/passwd.csv", []byte("a,b")},
		"a document":                                 {"a.docx", []byte("PK\x03\x04")},
		"500 rows of 50 cells of 1000 Chinese words": {"a.xlsx", rewritten(t, sheet(strings.Repeat(`<row>`+strings.Repeat(`<c t="inlineStr"><is><t>`+strings.Repeat("数", 400)+`</t></is></c>`, 50)+`</row>`, 500)))},
	} {
		t.Run(name, func(t *testing.T) {
			_ = decodetest.Attack(t, func(ctx context.Context) error {
				got, err := table.Read(ctx, c.file, c.data, "")
				require.NotContains(t, fmt.Sprint(got.Rows), "root:")
				require.LessOrEqual(t, len(got.Rows), 500)
				return err
			}, func(ctx context.Context) error {
				got, err := table.Read(ctx, "a.csv", []byte("a,b"), "")
				if err == nil {
					require.Equal(t, [][]string{{"a", "b"}}, got.Rows)
				}
				return err
			}) // files that are no attack are read
		})
	}
}

func BenchmarkRead(b *testing.B) {
	book := excelize.NewFile()
	for i := range 10_000 {
		require.NoError(b, book.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &[]any{i, "a name", 1.5, "a longer text of some words", 45000}))
	}
	var out bytes.Buffer
	require.NoError(b, book.Write(&out))
	for b.Loop() {
		_, err := table.Read(b.Context(), "a.xlsx", out.Bytes(), "")
		require.NoError(b, err)
	}
}
