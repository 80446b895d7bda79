// Package agenttest plays coding agents for tests: one program that implements the protocol of codex, claude, kimi or opencode,
// chosen by the name that it is started with. The user's message is its script, a directive a line; other lines are ignored:
//
//	say TEXT                    a message, in pieces
//	think TEXT                  a thought
//	run COMMAND                 runs the command with sh in its working folder
//	edit FILE TEXT              writes the file
//	ask approval COMMAND        asks, and runs the command if allowed; else the reply is "declined"
//	ask quietly COMMAND         the same, without a reply if it is denied
//	ask edit FILE TEXT          asks, and writes the file if allowed; else the reply is "declined"
//	ask question TEXT | A | B   asks the user, and replies "chosen: …" or "no answer"
//	recall                      replies with the messages of earlier turns of the conversation: "turns: N; last: …"
//	see                         replies with the pictures it was shown with the newest message: "pictures: 1; image/png of 67 bytes"
//	wait                        waits for a message ("steered: …") or an interruption
//	junk                        writes malformed lines, and waits for the answer to an unknown request
//	fail TEXT                   the turn fails
//	fail login                  the turn fails since the agent is not logged in
//	die                         the process ends at once
//
// A script without a directive gets the reply "You said: " and the last line. Conversations are stored in the folder XBOT_FAKE_AGENT_HOME, else in
// .fakeagent of the working folder, with a log of all texts that agents acted on. With XBOT_FAKE_AGENT_LOGGED_OUT, or a file "logged-out" in that
// folder, no agent is logged in. A file "deaf" in it, which is removed, makes an agent die as it gets its task. With a file "blind" kimi's model
// sees no pictures.
package agenttest
