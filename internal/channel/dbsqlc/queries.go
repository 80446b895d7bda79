// Package dbsqlc has the queries of module channel. sqlc generates it from schema/queries/channel.
package dbsqlc

// Q has the queries of this module.
var Q = New()
