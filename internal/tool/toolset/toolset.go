// Package toolset decides which tools a conversation has, and which of them its model is shown (spec/001 §5.3).
package toolset
