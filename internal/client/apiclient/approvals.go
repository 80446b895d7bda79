package apiclient

// Decisions on a call that waits for permission.
const (
	Allow = "allow"
	Deny  = "deny"
)
