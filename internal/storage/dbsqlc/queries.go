// Package dbsqlc has the queries of module tool. sqlc generates it from schema/queries/tool.
package dbsqlc

// Q has the queries of this module.
var Q = New()
