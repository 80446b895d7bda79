// Package dbsqlc has the queries of module user. sqlc generates it from schema/queries/user.
package dbsqlc

// Q has the queries of this module.
var Q = New()
