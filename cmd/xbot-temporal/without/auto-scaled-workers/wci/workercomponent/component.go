// Package workercomponent would run the controllers of workers that Temporal starts. This build runs none.
package workercomponent

import "go.uber.org/fx"

// Module provides nothing.
var Module = fx.Options()
