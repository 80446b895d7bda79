// Package dbsqlc has the queries of module tracing. sqlc generates it from schema/queries/tracing.
package dbsqlc

// Q has the queries of this module.
var Q = New()
