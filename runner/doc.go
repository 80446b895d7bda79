// Package runner is the daemon that executes commands and file operations where they belong: on the server's host, in
// a container or on a user's own machine. It connects out to the server, speaks package wire, and outlives the server,
// its connection and itself: commands run under shims (package shim) whose traces (package job) a new daemon finds.
//
//	server ── WebSocket ── daemon ── job folder ── shim ── sh -c command
//	                        (Run)     (job.Store)  (own session)  (own process group)
//
// It depends on nothing of the product but runner/wire, so that xbot-runner stays small.
package runner
