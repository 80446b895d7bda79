// Package window computes the model's view of a conversation. It is pure: rows in, lines out, the same for the same rows, so that any request
// can be rebuilt from stored rows.
//
// A conversation is append-only. Each layer of the context adds control records (chat.Control), and View folds them over
// the messages, in this order:
//
//	compaction   a summary replaces the beginning
//	edits        removals and changes by the model, except undone ones
//	stale        a file has changed since an offloaded result showed it
//	masks        placeholders for old results
//	collapse     neighbouring groups with only placeholders become one
//
// A group is one line: an assistant message with its calls and their results. No function here splits one, and none changes its input lines.
package window
