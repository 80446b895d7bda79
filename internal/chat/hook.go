package chat

// HookState is what hooks said before a call. Empty: no hook is meant for it.
type HookState string

// The states.
const (
	HookDue      HookState = "due"      // they are to be asked first
	HookPassed   HookState = "passed"   // none of them forbids it
	HookDeferred HookState = "deferred" // an administrator has to allow it
	HookDenied   HookState = "denied"
)
