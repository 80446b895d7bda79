package pdf

import "time"

// Tests of hostile files reach the limit sooner.
func init() { Decoder.CPU = 5 * time.Second }
