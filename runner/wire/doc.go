// Package wire is the protocol between a runner and the server, independent of the transport. It holds frames,
// request bodies and their limits, and imports the standard library only, so that both ends share one definition.
//
// A runner connects out to the server over a WebSocket. Every message is one JSON text frame {id, type, body}.
//
//	runner                                server
//	  │ register {token, name, store ...}   │   first frame, within HandshakeTimeout
//	  │ ──────────────────────────────────▶ │
//	  │ ◀────────────────────────────────── │   registered, or error and the socket is closed
//	  │                                     │
//	  │ ◀── {id, "exec.attach", body} ───── │   a request; the server chooses the id
//	  │ ─── {id, "push", body} ───────────▶ │   any number, at most Window without an ack
//	  │ ◀── {id, "ack", {n}} ────────────── │   n pushes were taken in
//	  │ ─── {id, "result", body} ─────────▶ │   exactly one result or error ends a request
//	  │ ◀── {id, "cancel"} ──────────────── │   the caller waits no more; what was started continues
//
// Unknown body fields are ignored, so that fields can be added without a new protocol version.
package wire
