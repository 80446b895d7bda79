// Package engine reads PDF documents with PDFium, compiled to WebAssembly: a document can only affect the engine's own memory, without files or
// network. It runs in a separate process (package decode), which ends after one document.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"xbot/internal/document/decode"
	"xbot/internal/document/pdf"
	"xbot/internal/fault"
)

const (
	// maxMemory of a document, in pages of WebAssembly of 64 KB: 256 MB.
	maxMemory = 4096
	// maxStart bounds the start of the engine.
	maxStart = 3 * time.Minute
)

var _ = decode.Serve(pdf.Decoder, open)

// open starts the engine, which accesses its cache before it reads a document.
func open(r pdf.Request) (func([]byte) (pdf.Document, error), error) {
	engine, err := start(context.Background(), r.Cache)
	if err != nil {
		return nil, err
	}
	return func(file []byte) (pdf.Document, error) { return read(engine, r.Want, file) }, nil
}

// read reads a document.
func read(engine pdfium.Pdfium, want pdf.Want, file []byte) (pdf.Document, error) {
	opened, err := engine.OpenDocument(&requests.OpenDocument{File: &file})
	if err != nil {
		return pdf.Document{}, reason(err)
	}
	count, err := engine.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil || count.PageCount < 1 {
		return pdf.Document{}, fault.Errorf(fault.Invalid, "the PDF has no pages")
	}
	d := document{engine: engine, ref: opened.Document, want: want, out: pdf.Document{Count: count.PageCount}}
	d.read()
	return d.out, nil
}

// start starts PDFium. Without a cache, or with one that cannot be used, it is translated for this machine, which takes seconds.
func start(ctx context.Context, cache string) (pdfium.Pdfium, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(maxMemory).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling)
	if cache != "" {
		if kept, err := wazero.NewCompilationCacheWithDir(cache); err == nil {
			config = config.WithCompilationCache(kept)
		}
	}
	pool, err := webassembly.Init(webassembly.Config{
		Context: experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), MaxIdle: 1, MaxTotal: 1, RuntimeConfig: config, FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	engine, err := pool.GetInstance(maxStart)
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	return engine, nil
}

func reason(err error) error {
	if errors.Is(err, pdferrors.ErrPassword) || errors.Is(err, pdferrors.ErrSecurity) {
		return fault.Errorf(fault.Invalid, "the PDF is encrypted and opens with a password only")
	}
	return fault.Errorf(fault.Invalid, "the PDF is broken, or none")
}

// document is one that is being read.
type document struct {
	engine pdfium.Pdfium
	ref    references.FPDF_DOCUMENT
	want   pdf.Want
	out    pdf.Document
	text   int // bytes so far
}
