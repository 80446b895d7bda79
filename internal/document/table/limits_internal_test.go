package table

import "time"

// Tests of hostile files reach the limit sooner.
func init() { decoder.CPU = 5 * time.Second }
