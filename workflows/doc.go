// Package workflows decides. A Turn is one run of a workflow whose id is the session's: Temporal allows one open run
// of an id, and that is what keeps the turns of a session in order.
//
//	          wake (no body)                    rows pending
//	ingress ───────────────▶ Turn ─claim─▶ generate ⇄ tools ─▶ finish ─────────────▶ continue as new
//	relay                     │                  ▲                │
//	                          └── peek ── stop? ─┘                └─▶ complete
//
// Workflows are deterministic: no clock, no I/O, no maps, no JSON. What users wrote and read is in Postgres;
// histories hold references. Captured histories in testdata are replayed by every test run.
package workflows
