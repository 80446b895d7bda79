// Package dbsqlc has the queries of module extension. sqlc generates it from schema/queries/extension.
package dbsqlc

// Q has the queries of this module.
var Q = New()
