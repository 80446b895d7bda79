// Package question decides about the questions of the model to a person: which can be asked, which answers fit, and what a
// typed text says. It is pure: what is open, and who may answer, is the store's.
package question
