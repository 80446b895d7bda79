// Package dbsqlc has the queries of module service. sqlc generates it from schema/queries/service.
package dbsqlc

// Q has the queries of this module.
var Q = New()
