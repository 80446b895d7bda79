// Package dbsqlc has the queries of module automation. sqlc generates it from schema/queries/automation.
package dbsqlc

// Q has the queries of this module.
var Q = New()
