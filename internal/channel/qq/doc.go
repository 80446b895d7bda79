// Package qq connects to QQ's official bot platform: direct chats (C2C), groups, and guilds with their channels and private
// messages. It receives by WebSocket or by webhook and sends by HTTP. The platform's limits are in limits.go, the meanings
// of its codes in codes.go.
//
// The life of a WebSocket:
//
//	          token, /gateway/bot
//	idle ───────────────────────────► dialled ── Hello ──► Identify ── READY ────┐
//	 ▲                                    │                                      ├──► events, in order
//	 │                                    └────── Hello ──► Resume ── RESUMED ───┘        │
//	 │                                                        │                           │ each is committed by the
//	 │   pause: 1 s, doubled up to 60 s; 60 s after           │ op 9: the session         │ receiver, then counted
//	 │   three connections that lasted less than 5 s          ▼ is forgotten              ▼
//	 └──────────────────────────────────────────────── disconnected, op 7, no heartbeat answered
//
// The platform has no acknowledgement of single events. The sequence that Resume names is that of the last event the
// receiver has committed, so all later ones are delivered again. Events that the platform drops when a session is lost are
// lost with it.
package qq
