// Package dbsqlc has the queries of module host. sqlc generates it from schema/queries/host.
package dbsqlc

// Q has the queries of this module.
var Q = New()
