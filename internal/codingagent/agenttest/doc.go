// Package agenttest plays coding agents for tests: one program that speaks the protocol of codex, claude, kimi or opencode
// by the name that it is started with. What the person says is its script, a directive a line; other lines are nothing:
//
//	say TEXT                    a message, in pieces
//	think TEXT                  a thought
//	run COMMAND                 runs the command with sh in its working folder
//	edit FILE TEXT              writes the file
//	ask approval COMMAND        asks, and runs the command if it may; else it says "declined"
//	ask quietly COMMAND         the same, and says nothing where it may not
//	ask edit FILE TEXT          asks, and writes the file if it may; else it says "declined"
//	ask question TEXT | A | B   asks the person, and says "chosen: …" or "no answer"
//	recall                      says what was said in earlier turns of the conversation: "turns: N; last: …"
//	see                         says which pictures it was shown with the newest message: "pictures: 1; image/png of 67 bytes"
//	wait                        waits for a message ("steered: …") or an interruption
//	junk                        writes lines that nobody understands, and waits for the answer to a request that is not known
//	fail TEXT                   the turn fails
//	fail login                  the turn fails since nobody is logged in
//	die                         the process ends at once
//
// A script without a directive has it say "You said: " and the last line. Conversations are kept in the folder that
// XBOT_FAKE_AGENT_HOME names, else in .fakeagent of the working folder; there, too, stands all that agents were given to act on. With XBOT_FAKE_AGENT_LOGGED_OUT, or a file
// "logged-out" in that folder, nobody is logged in. A file "deaf" in it, which is removed, has an agent die as it is told what to do. With a file
// "blind" the model of kimi sees no pictures.
package agenttest
