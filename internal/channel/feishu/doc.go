// Package feishu speaks to Feishu, and to Lark, which is the same platform elsewhere. It receives by a long connection or
// by webhook and sends by HTTP. Codes of the platform and what they mean are in codes.go.
//
//	        POST /callback/ws/endpoint            events in frames, each
//	idle ─────────────────────────────► dialled ──────────────────────► taken ── committed ──► acknowledged, 200
//	 ▲                                     │ pings; pongs bring settings    │
//	 │  pause: 1 s, doubled up to 60 s     ▼                                └── not committed ─► acknowledged, 500:
//	 └────────────────────────────── disconnected                                                  it comes again
//
// The platform wants an acknowledgement within three seconds. What is looked up before a message is handed over (names, what
// it quotes) has half of that together, and is left out when it takes longer.
//
// Calls, the long connection and events are the vendor's library's (larksuite/oapi-sdk-go). How a request is sent and judged
// (wire.go), tokens, when to connect again (link.go), who takes an event (dispatch.go), and webhooks' proofs are ours; decision
// record 18 says why.
package feishu
