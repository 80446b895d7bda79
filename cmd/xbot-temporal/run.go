package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"time"

	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

// endpoints is the content of the ready line.
type endpoints struct {
	GRPC      string `json:"grpc"`
	UI        string `json:"ui"`
	Namespace string `json:"namespace"`
}

// run starts everything in order, prints the ready line, and stops everything when ctx ends.
func run(ctx context.Context, opts *options, logger *logger, stdout io.Writer) error {
	// The UI's packages write to the standard logger, once a connection.
	stdlog.SetOutput(debugWriter{logger})

	lock, err := acquireLock(ctx, opts.LockFile, opts.Label)
	if err != nil {
		return err
	}
	defer lock.release()
	certs, err := loadCertificates(opts.TLSDir)
	if err != nil {
		return err
	}
	web, err := listenUI(opts)
	if err != nil {
		return err
	}
	server, addrs, err := startServer(ctx, opts, certs, logger)
	if err == nil {
		err = web.serve(opts, addrs.reachable(), certs, logger)
	}
	if err == nil {
		err = announce(endpoints{GRPC: addrs[primitives.FrontendService], UI: web.addr(), Namespace: opts.Namespace}, lock, stdout)
	}
	if err == nil {
		<-ctx.Done()
	}
	logger.quiet()
	return errors.Join(err, stopAll(web, server))
}

// startServer makes the databases fit and starts the Temporal services on them, at the addresses that it returns.
func startServer(ctx context.Context, opts *options, certs certificates, logger *logger) (temporal.Server, addresses, error) {
	addrs, err := chooseAddresses(opts.GRPCAddr)
	if err != nil {
		return nil, nil, err
	}
	if err := checkFree("--metrics-addr", opts.MetricsAddr); err != nil {
		return nil, nil, err
	}
	if err := checkFree("--pprof-addr", opts.PprofAddr); err != nil {
		return nil, nil, err
	}
	if err := prepareDatabases(ctx, opts.Postgres); err != nil {
		return nil, nil, err
	}
	if err := migrate(ctx, opts.Postgres, logger); err != nil {
		return nil, nil, err
	}
	aliases, err := registerNamespace(ctx, opts, logger)
	if err == nil {
		err = opts.Postgres.trimIndexes(ctx, keptIndexes(aliases))
	}
	if err != nil {
		return nil, nil, err
	}
	server, err := newServer(opts, addrs, certs, logger)
	if err != nil {
		return nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the Temporal server: %w", err)
	}
	return server, addrs, awaitFrontend(ctx, addrs.reachable(), certs)
}

func stopAll(web *webUI, server temporal.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := web.close(ctx)
	if server != nil {
		err = errors.Join(err, server.Stop())
	}
	return err
}

// announce writes the ready line to stdout and the same facts to the lock file.
func announce(e endpoints, lock *lockFile, stdout io.Writer) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the ready line: %w", err)
	}
	if err := lock.ready(e); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "%s\n", line); err != nil {
		return fmt.Errorf("print the ready line: %w", err)
	}
	return nil
}

// checkFree finds an address in use before the server does, which would report it in other words.
func checkFree(flag, addr string) error {
	if addr == "" {
		return nil
	}
	if err := tryListen(addr); err != nil {
		return listenError(flag, addr, err)
	}
	return nil
}

// debugWriter logs each write as one line at debug level.
type debugWriter struct{ *logger }

func (w debugWriter) Write(line []byte) (int, error) {
	w.Debug(string(line))
	return len(line), nil
}
