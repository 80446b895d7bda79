// Package server puts a process together from its settings: everything in one process (Open), or the part that talks to
// users (OpenIngress) and the part that works (OpenWorker) as separate processes. Each layer is made of those before it
// and is not changed afterwards: process, stores, temporal and models (core), then tools (agents), then ingress and
// worker.
package server

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Server is an opened process.
type Server struct {
	services []func(ctx context.Context) error
	closers  []func()
}

// Run serves until ctx ends or a part of the server cannot continue.
func (s *Server) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, serve := range s.services {
		g.Go(func() error { return serve(ctx) })
	}
	return g.Wait()
}

// Close closes all resources, the newest first.
func (s *Server) Close() {
	for _, closes := range slices.Backward(s.closers) {
		closes()
	}
	s.closers = nil
}

// serve adds services that run until the server is stopped.
func (s *Server) serve(services ...func(ctx context.Context) error) {
	s.services = append(s.services, services...)
}

// onClose adds what Close calls.
func (s *Server) onClose(do func()) { s.closers = append(s.closers, do) }

// opened returns the server, or closes the resources of a failed start.
func (s *Server) opened(err error) (*Server, error) {
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
