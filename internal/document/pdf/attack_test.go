package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/decode/decodetest"
	"xbot/internal/document/pdf"
	"xbot/internal/document/pdf/pdftest"
)

// objects returns a file of objects; the first is its catalogue.
func objects(bodies ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	at := make([]int, len(bodies))
	for i, o := range bodies {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(bodies)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(bodies)+1, table)
	return b.Bytes()
}

// page returns a file with one page with a content stream, resources, and further objects from number 5 on.
func page(content, resources string, more ...string) []byte {
	return objects(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<" + resources + ">>/Contents 4 0 R>>", stream("", content),
	}, more...)...)
}

func stream(entries, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", entries, len(content), content)
}

// packed returns a stream that unpacks to so many repetitions of a text.
func packed(t testing.TB, entries, text string, times int) string {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	for range times {
		_, err := z.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return stream(entries+"/Filter/FlateDecode", b.String())
}

// forms returns objects from number 5 on, each of which draws the next one ten times.
func forms(n int) (out []string) {
	for i := range n {
		out = append(out, stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 600 700]/Resources<</XObject<</F %d 0 R>>>>", 6+i), strings.Repeat("q /F Do Q ", 10)))
	}
	return append(out, stream("/Type/XObject/Subtype/Form/BBox[0 0 600 700]", "0 0 500 500 re f"))
}

func TestAttack_APDFHarmsNobodyElse(t *testing.T) {
	megabyte := strings.Repeat("0 0 1 1 re f ", 80_000)
	big := packed(t, "", megabyte, 200)
	contents := func(s string) []byte {
		return objects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>", s)
	}
	for name, file := range map[string][]byte{
		"a content of 200 MB":                 contents(big),
		"a content of 200 MB of nothing":      contents(packed(t, "", strings.Repeat(" ", 1<<20), 200)),
		"a content packed twice":              contents(stream("/Filter[/FlateDecode/FlateDecode]", big[strings.Index(big, "stream\n")+7:])),
		"a content with 100,000 filters":      contents(stream("/Filter["+strings.Repeat("/ASCIIHexDecode", 100_000)+"]", "00>")),
		"a form that draws itself":            page("/F Do", "/XObject<</F 5 0 R>>", stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>", "/F Do")),
		"forms that draw one another 10^9 ×":  page("/F Do", "/XObject<</F 5 0 R>>", forms(9)...),
		"a picture of 60,000 × 60,000":        page("600 0 0 600 0 0 cm /I Do", "/XObject<</I 5 0 R>>", packed(t, "/Type/XObject/Subtype/Image/Width 60000/Height 60000/ColorSpace/DeviceRGB/BitsPerComponent 8", string(make([]byte, 1<<20)), 200)),
		"a picture of 2^31 × 2^31":            page("/I Do", "/XObject<</I 5 0 R>>", stream("/Type/XObject/Subtype/Image/Width 2147483647/Height 2147483647/ColorSpace/DeviceGray/BitsPerComponent 1", "x")),
		"brackets a million deep":             contents(stream("", strings.Repeat("[", 1<<20))),
		"states a million deep":               contents(stream("", strings.Repeat("q ", 1<<20))),
		"a dictionary a million deep":         objects("<</Type/Catalog/Pages 2 0 R/X " + strings.Repeat("<</A ", 1<<20) + strings.Repeat(">>", 1<<20) + ">>"),
		"pages below themselves":              objects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 3/Kids[2 0 R 2 0 R 2 0 R]>>"),
		"2^31 pages":                          objects("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 2147483647/Kids[]>>"),
		"10,000 pages of one":                 pdftest.Document{Pages: []string{"one"}, Claimed: 10_000}.File(),
		"a page as large as a country":        pdftest.Document{Pages: []string{"one"}, Box: "0 0 1e30 1e30"}.File(),
		"a page that is inside out":           pdftest.Document{Pages: []string{"one"}, Box: "9 9 -9 -9"}.File(),
		"tables that follow one another":      []byte("%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF\n"),
		"a table of 2^31 objects":             []byte("%PDF-1.7\nxref\n0 2147483647\n0000000000 65535 f \ntrailer<</Size 2147483647/Root 1 0 R>>\nstartxref\n9\n%%EOF\n"),
		"an object that is its own length":    contents("<</Length 4 0 R>>stream\nx\nendstream"),
		"a million objects":                   append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("1 0 obj\n<<>>\nendobj\n"), 1<<20)...),
		"a text of a million fonts":           page(strings.Repeat("/F1 1 Tf ", 1<<20), ""),
		"a function of 2^24 samples":          page("/P sh", "/Shading<</P<</ShadingType 1/ColorSpace/DeviceRGB/Function 5 0 R>>>>", stream("/FunctionType 0/Domain[0 1 0 1]/Range[0 1 0 1 0 1]/Size[65535 65535]/BitsPerSample 32", "x")),
		"a program that never ends":           page("/P sh", "/Shading<</P<</ShadingType 1/ColorSpace/DeviceRGB/Function 5 0 R>>>>", stream("/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]", "{"+strings.Repeat("dup 100 1 roll ", 50_000)+"}")),
		"a script":                            objects("<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(while\\(1\\){})>>>>", "<</Type/Pages/Count 0/Kids[]>>"),
		"a file of another machine":           objects("<</Type/Catalog/Pages 2 0 R/OpenAction<</S/GoToR/F(/etc/passwd)>>>>", "<</Type/Pages/Count 0/Kids[]>>"),
		"a password":                          pdftest.Encrypted(),
		"half of a file":                      pdftest.Of("one", "two")[:300],
		"nothing behind the beginning":        []byte("%PDF-1.7\n"),
		"the beginning a million times":       bytes.Repeat([]byte("%PDF-1.7\n"), 1<<20),
		"20 MB of nothing behind a beginning": append([]byte("%PDF-1.7\n"), make([]byte, 20<<20)...),
	} {
		t.Run(name, func(t *testing.T) {
			for _, pictures := range []bool{false, true} {
				err := decodetest.Attack(t, func(ctx context.Context) error {
					got, err := reader.Read(ctx, file, pdf.Want{Pages: pdf.All, Pictures: pictures, MaxText: 60_000})
					require.LessOrEqual(t, len(got.Pages), pdf.MaxTextPages)
					return err
				}, func(ctx context.Context) error {
					got, err := reader.Read(ctx, pdftest.Of("one"), pdf.Want{})
					if err == nil {
						require.Equal(t, 1, got.Count)
					}
					return err
				})
				if err != nil {
					return // drawing it is refused, too, or it cannot be read
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	pages := make([]string, 50)
	for i := range pages {
		pages[i] = strings.Repeat("A line of a page that has some words in it.\n", 50)
	}
	file := pdftest.Of(pages...)
	for b.Loop() {
		_, err := reader.Read(b.Context(), file, pdf.Want{Pages: pdf.All, MaxText: 1 << 20})
		require.NoError(b, err)
	}
}
