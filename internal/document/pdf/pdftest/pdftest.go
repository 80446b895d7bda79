// Package pdftest writes small PDF files for tests.
package pdftest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Cache returns a folder where the tests of all packages, also of later runs, keep the engine translated: that takes a second, with the race
// detector and other work in parallel a minute. Without a folder of the user for such things it is empty: each reading translates it.
func Cache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "xbot", "test-pdf")
}

// Document is the content of a file.
type Document struct {
	Pages   []string // the text of each page, a line each
	Claimed int      // the page count in the file; 0: as many as it has
	Box     string   // of each page, in points; empty: US letter
	Trailer string   // further entries of its trailer
}

// Of returns a file with such pages.
func Of(pages ...string) []byte { return Document{Pages: pages}.File() }

// Encrypted returns a file that opens with a password only. (Its strings are not really encrypted: no reader gets that far.)
func Encrypted() []byte {
	zeros := strings.Repeat("0", 64)
	return Document{Pages: []string{"secret"}, Trailer: "/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<" + zeros + ">/U<" + zeros + ">>>/ID[<00><00>]"}.File()
}

// File writes it (ISO 32000-2 §7.5).
func (d Document) File() []byte {
	claimed, box := len(d.Pages), "0 0 612 792"
	if d.Claimed > 0 {
		claimed = d.Claimed
	}
	if d.Box != "" {
		box = d.Box
	}
	var kids strings.Builder
	for i := range d.Pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", claimed, kids.String()),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	for i, text := range d.Pages {
		drawn := drawing(text)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[%s]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", box, 5+2*i),
			fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(drawn), drawn))
	}
	return d.write(objects)
}

// drawing draws lines from the top left.
func drawing(text string) string {
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 14 TL 72 720 Td\n")
	for line := range strings.Lines(text) {
		escaped := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(strings.TrimSuffix(line, "\n"))
		b.WriteString("(" + escaped + ") Tj T*\n")
	}
	return b.String() + "ET"
}

func (d Document) write(objects []string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	at := make([]int, len(objects))
	for i, o := range objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, d.Trailer, table)
	return b.Bytes()
}
