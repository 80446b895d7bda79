// Package dbsqlc has the queries of module sandbox. sqlc generates it from schema/queries/sandbox.
package dbsqlc

// Q has the queries of this module.
var Q = New()
