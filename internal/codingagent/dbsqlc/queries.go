// Package dbsqlc has the queries of module codingagent. sqlc generates it from schema/queries/codingagent.
package dbsqlc

// Q has the queries of this module.
var Q = New()
