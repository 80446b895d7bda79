// Package job keeps the commands of a runner on disk, so that each is started at most once and found again after any
// crash of the runner. Two processes share it: the daemon (Store) and, for every command, its shim
// (package shim). It does not run commands itself.
//
//	<state>/lock               held by the daemon: one daemon for one store
//	<state>/store              the id of the store, made with it
//	<state>/released/<job>     empty: the command was recorded elsewhere and is never started again
//	<state>/jobs/<job>/command what to run, for the shim
//	                  /lock    held by the shim from its first to its last moment (and by the daemon while it decides)
//	                  /started written and synced before the command executes
//	                  /kill    the command is to end; if it had not started, it never will
//	                  /output  stdout and stderr in the order written; of a command with input stdout alone
//	                  /input   what is to be written to the command, one JSON object a line, in order, each key once
//	                  /status  how it ended; written under another name, renamed, then synced: after a power cut it may be missing or empty
//	                  /events  FIFO: the shim wakes the daemon; end of file: the shim is gone
//	                  /control FIFO: the daemon signals the shim to end the command, or that there is input
//
// The state of a job follows from what is there, in this order:
//
//	status            → ended, as recorded; lost if it cannot be read
//	lock held         → running
//	started           → lost: it had begun and its end is unknown
//	kill              → killed before it started
//	otherwise         → not started
//
// A process id is never consulted: ids are reused, locks are not.
package job
