// Package dbsqlc has the queries of module realtime. sqlc generates it from schema/queries/realtime.
package dbsqlc

// Q has the queries of this module.
var Q = New()
