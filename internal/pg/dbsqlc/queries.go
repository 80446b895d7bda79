// Package dbsqlc has the queries of module pg. sqlc generates it from schema/queries/pg.
package dbsqlc

// Q has the queries of this module.
var Q = New()
