// Package dbsqlc has the queries of module memory. sqlc generates it from schema/queries/memory.
package dbsqlc

// Q has the queries of this module.
var Q = New()
