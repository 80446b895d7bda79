// Package engine reads PDF documents with PDFium, translated to WebAssembly: what a document does to it stays in a memory of its own, which
// reaches no files and no network. It runs in a process of its own (package pdf), which ends after one document.
package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
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

	"xbot/internal/pdf"
)

const (
	// maxMemory of a document, in pages of WebAssembly of 64 KB: 256 MB.
	maxMemory = 4096
	// overtime is how much later than its parent ends it the process ends by itself, in case that the parent is gone.
	overtime = 5 * time.Second
)

// Main is the whole work of the process: a request on standard input, the answer on standard output. It returns the exit code.
func Main(cache string) int {
	time.AfterFunc(pdf.MaxStart+pdf.MaxTime+overtime, func() { os.Exit(1) })
	if err := serve(context.Background(), os.Stdin, os.Stdout, cache); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serve answers one request.
func serve(ctx context.Context, in io.Reader, out io.Writer, cache string) error {
	from := bufio.NewReader(in)
	head, err := from.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	var want pdf.Want
	if err := json.Unmarshal(head, &want); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	file, err := io.ReadAll(io.LimitReader(from, pdf.MaxBytes))
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	engine, err := start(ctx, cache)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, pdf.Started); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	answer := json.NewEncoder(out)
	opened, err := engine.OpenDocument(&requests.OpenDocument{File: &file})
	if err != nil {
		return answer.Encode(pdf.Line{Problem: reason(err)})
	}
	count, err := engine.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil || count.PageCount < 1 {
		return answer.Encode(pdf.Line{Problem: pdf.NoPages})
	}
	if err := answer.Encode(pdf.Line{Count: count.PageCount}); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	d := document{engine: engine, ref: opened.Document, count: count.PageCount, want: want, answer: answer}
	if err := d.read(); err != nil {
		return err
	}
	return answer.Encode(pdf.Line{End: true})
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
	engine, err := pool.GetInstance(pdf.MaxStart)
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	return engine, nil
}

func reason(err error) pdf.Reason {
	if errors.Is(err, pdferrors.ErrPassword) || errors.Is(err, pdferrors.ErrSecurity) {
		return pdf.Encrypted
	}
	return pdf.Broken
}

// document is one that is being read.
type document struct {
	engine pdfium.Pdfium
	ref    references.FPDF_DOCUMENT
	count  int
	want   pdf.Want
	answer *json.Encoder
	done   int // pages so far
	text   int // bytes so far
}
