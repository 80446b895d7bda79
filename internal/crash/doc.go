// Package crash ends activities that kill their worker. Each worker process records in a file which activity attempts it runs. The next
// process on the data folder reads the files of processes that died, finds out why they did, and counts a crash for each attempt that ran.
// After MaxCrashes the call is given up: it ends with an error instead of another attempt.
//
//	worker ──begin──▶ journal (file, locked) ◀──read by the next process── Recover ──▶ crashed_attempts (Postgres)
//	   ▲                                                                                     │
//	   └──────────────── Begin: given up? one suspect at a time ◀────────────────────────────┘
package crash
