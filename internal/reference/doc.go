// Package reference writes the pages of docs/reference from the code: each function makes one page from what it is given.
// Its tests hold all documents to the tree: links lead somewhere, and tests that are named exist.
package reference
