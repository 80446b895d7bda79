// Package context holds the tools with which a model looks after its own context: it recalls what was taken out of the
// conversation to save space.
package context
