// Package window says what a model sees of a conversation. It is pure: rows in, lines out, the same for the same rows, so
// that any request can be made again from what is stored.
//
// A conversation is append-only. Each layer of the context adds control records (chat.Control), and View folds them over
// the messages, in this order:
//
//	compaction   a summary stands for the beginning
//	edits        what the model removed or changed, less what it took back
//	stale        a file has changed since an offloaded result showed it
//	masks        placeholders for old results
//	collapse     neighbouring groups of which nothing but placeholders is left become one
//
// A group is one line: an assistant message with its calls and their results. No function here splits one, and none
// touches the lines it is given.
package window
