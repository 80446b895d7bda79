// Package dbsqlc has the queries of module llm. sqlc generates it from schema/queries/llm.
package dbsqlc

// Q has the queries of this module.
var Q = New()
