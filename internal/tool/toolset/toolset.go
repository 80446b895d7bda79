// Package toolset decides which tools a conversation has, and which of them its model is shown.
package toolset
