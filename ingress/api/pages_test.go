package api_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/png" // registers the format
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/pdf"
	"xbot/internal/document/pdf/pdftest"
)

// documents reads PDFs. Where leave is asked for, each reading says that it has begun and waits until that is closed.
type documents struct {
	pdf.Reader
	begun, leave chan struct{}
	read         atomic.Int32
}

func (d *documents) Read(ctx context.Context, file []byte, want pdf.Want) (pdf.Document, error) {
	if d.leave != nil {
		d.begun <- struct{}{}
		<-d.leave
	}
	d.read.Add(1)
	return d.Reader.Read(ctx, file, want)
}

// translated has the engine translated once: with the race detector beside other work that takes longer than tests wait.
var translated = sync.OnceValue(func() error {
	_, err := pdf.Reader{Cache: pdftest.Cache()}.Pages(context.Background(), pdftest.Of("one"))
	return err
})

// setupPages is a workspace whose PDFs need not wait for the engine.
func setupPages(t *testing.T) *drive {
	d := setupDrive(t)
	require.NoError(t, translated())
	return d
}

// page asks for a page of a PDF.
func (d *drive) page(p *person, query string) answer { return p.get(path(d.key, "/files/page?"+query)) }

// drawn is how large the picture of an answer is.
func drawn(t *testing.T, a answer) image.Point {
	t.Helper()
	a.is(http.StatusOK, nil)
	shown, format, err := image.DecodeConfig(bytes.NewReader(a.body))
	require.NoError(t, err)
	require.Equal(t, "image/"+format, a.header.Get("Content-Type"))
	return image.Pt(shown.Width, shown.Height)
}

func TestPages_OfAPDFAreDrawn(t *testing.T) {
	d := setupPages(t)
	d.box.Put(t, "out/report.pdf", string(pdftest.Of("one", "two")))
	first := d.page(d.alice, "path=out/report.pdf&width=600")
	require.Equal(t, image.Pt(600, 776), drawn(t, first))
	require.Equal(t, "2", first.header.Get("X-Pages"))
	require.Equal(t, "nosniff", first.header.Get("X-Content-Type-Options"))
	require.Contains(t, first.header.Get("Cache-Control"), "private")
	second := d.page(d.alice, "path=out/report.pdf&width=600&page=2")
	drawn(t, second)
	require.NotEqual(t, first.body, second.body)
	require.NotEqual(t, first.header.Get("ETag"), second.header.Get("ETag"))
	require.Equal(t, 100, drawn(t, d.page(d.alice, "path=out/report.pdf&width=1")).X, "as narrow as it gets")
	require.Equal(t, pdf.MaxSide, drawn(t, d.page(d.alice, "path=out/report.pdf&width=99999")).Y, "as large as it gets")
	require.Contains(t, d.page(d.alice, "path=out/report.pdf&page=3").problem(http.StatusBadRequest), "ends with page 2")
	for _, bad := range []string{"page=0", "page=-1", "page=x", "page=1000001", "width=0", "width=x"} {
		d.page(d.alice, "path=out/report.pdf&"+bad).problem(http.StatusUnprocessableEntity)
	}
	d.page(d.bob, "path=out/report.pdf").problem(http.StatusNotFound)
}

func TestPages_WhatCannotBeDrawnSaysWhy(t *testing.T) {
	d := setupPages(t)
	d.box.Put(t, "broken.pdf", "%PDF-1.7\nnothing of it")
	d.box.Put(t, "locked.pdf", string(pdftest.Encrypted()))
	d.box.Put(t, "text.pdf", "hello")
	d.box.Put(t, "empty.pdf", "")
	d.box.Put(t, "large.pdf", "%PDF-1.7")
	require.NoError(t, os.Truncate(filepath.Join(d.root, "large.pdf"), pdf.MaxBytes+1))
	for file, says := range map[string]string{"broken.pdf": "broken", "locked.pdf": "password", "text.pdf": "no PDF", "empty.pdf": "no PDF", ".": "folder"} {
		require.Contains(t, d.page(d.alice, "path="+file).problem(http.StatusBadRequest), says, file)
	}
	require.Contains(t, d.page(d.alice, "path=large.pdf").problem(http.StatusRequestEntityTooLarge), "50 MB")
	d.page(d.alice, "path=none.pdf").problem(http.StatusNotFound)
	d.page(d.alice, "path=a%00b").problem(http.StatusBadRequest)
	d.page(d.alice, "path="+strings.Repeat("a", 5000)).problem(http.StatusUnprocessableEntity)
	require.EqualValues(t, 2, d.documents.read.Load(), "only the broken one and the locked one were looked into")
}

func TestPages_AreDrawnAgainOnlyOnceTheirFileChanges(t *testing.T) {
	d := setupPages(t)
	d.box.Put(t, "a.pdf", string(pdftest.Of("one")))
	ask := func(p *person, tag string) answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+path(d.key, "/files/page?path=a.pdf"), nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+p.token)
		r.Header.Set("If-None-Match", tag)
		return d.send(&http.Client{}, r)
	}
	tag := ask(d.alice, "").header.Get("ETag")
	require.NotEmpty(t, tag)
	for _, same := range []string{tag, "W/" + tag} {
		again := ask(d.alice, same)
		require.Equal(t, http.StatusNotModified, again.status)
		require.Empty(t, again.body)
		require.Empty(t, again.header.Get("X-Pages"), "a browser keeps what it knows")
	}
	require.EqualValues(t, 1, d.documents.read.Load())
	ask(d.bob, tag).problem(http.StatusNotFound)
	d.box.Put(t, "a.pdf", string(pdftest.Of("one", "two")))
	require.Equal(t, "2", ask(d.alice, tag).header.Get("X-Pages"))
}

func TestPages_AFewAreDrawnAtOnce(t *testing.T) {
	d := setupPages(t)
	d.box.Put(t, "a.pdf", string(pdftest.Of("one")))
	d.documents.begun, d.documents.leave = make(chan struct{}, 10), make(chan struct{})
	answers := make(chan answer)
	for n := range 2 {
		go func() { answers <- d.page(d.alice, fmt.Sprint("path=a.pdf&width=", 300+n)) }()
		<-d.documents.begun
	}
	third := d.page(d.alice, "path=a.pdf")
	require.Contains(t, third.problem(http.StatusTooManyRequests), "2 pages")
	require.NotEmpty(t, third.header.Get("Retry-After"))
	close(d.documents.leave)
	for range 2 {
		select {
		case a := <-answers:
			drawn(t, a)
		case <-time.After(limit):
			t.Fatal("a page was not drawn")
		}
	}
	drawn(t, d.page(d.alice, "path=a.pdf"))
}

func TestPages_AreFoundInTheWorkspaceToo(t *testing.T) {
	d := setupPages(t)
	d.box.Put(t, "out/a.pdf", string(pdftest.Of("one")))
	d.box.Put(t, "src/main.go", "package main")
	d.key = "agent:main:web:thread:below"
	d.alice.post("/api/sessions", map[string]any{"key": d.key, "cwd": d.root + "/src"}).is(http.StatusCreated, nil)
	drawn(t, d.page(d.alice, "path=out/a.pdf"))
}
