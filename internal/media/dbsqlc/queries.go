// Package dbsqlc has the queries of module media. sqlc generates it from schema/queries/media.
package dbsqlc

// Q has the queries of this module.
var Q = New()
