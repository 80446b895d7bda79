// Package iterator declares the end of a listing.
package iterator

import "errors"

// Done ends a listing.
var Done = errors.New("no more items in iterator")
