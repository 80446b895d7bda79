// Package question checks the questions of the model to a user: which can be asked, which answers fit, and the meaning of a typed text. It is
// pure: the store decides which questions are open, and who may answer.
package question
