// Package crash stops retrying activities that crash their worker. Each worker process records its running activity attempts in a file. The
// next process on the data folder reads the files of dead processes, determines why they ended, and counts a crash for each attempt that ran.
// After MaxCrashes the call is given up: it fails instead of being retried.
//
//	worker ──begin──▶ journal (file, locked) ◀──read by the next process── Recover ──▶ crashed_attempts (Postgres)
//	   ▲                                                                                     │
//	   └──────────────── Begin: given up? one suspect at a time ◀────────────────────────────┘
package crash
