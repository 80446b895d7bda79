package dbsqlc

// Q has the queries of this module.
var Q = New()
