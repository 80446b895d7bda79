package shim

import "xbot/runner/confine"

// judgeFor judges nothing: this system does not confine commands.
func judgeFor(string) confine.Judge { return nil }
