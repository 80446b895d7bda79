// Package dbsqlc has the queries of module turn. sqlc generates it from schema/queries/turn.
package dbsqlc

// Q has the queries of this module.
var Q = New()
