// Package dbsqlc has the queries of module secret. sqlc generates it from schema/queries/secret.
package dbsqlc

// Q has the queries of this module.
var Q = New()
