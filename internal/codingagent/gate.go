package codingagent

// Verdict is what the turn's policy says of something that an agent asks for.
type Verdict int

// Verdicts. What is not known to be allowed is asked, and refused where nobody may be asked.
const (
	Ask Verdict = iota
	Allow
	Deny
)

// Gate decides for an agent that has no sandbox of its own. Inside says that what is changed lies in the folders that the
// turn may write. A command may write anywhere, so it is never inside.
func (t Turn) Gate(kind WorkKind, inside bool) Verdict {
	edit := kind == FileChange
	switch {
	case t.Sandbox == FullAccess && t.Approvals == ApproveNever:
		return Allow
	case t.Sandbox == FullAccess:
		return Ask
	case edit && t.Sandbox != WorkspaceWrite:
		return Deny
	case edit && inside && t.Approvals != ApproveUntrusted:
		return Allow
	case t.Approvals == ApproveOnRequest || t.Approvals == ApproveUntrusted:
		return Ask
	default:
		return Deny
	}
}

// Unguarded reports whether the agent may do everything without being asked.
func (t Turn) Unguarded() bool { return t.Gate(CommandRun, false) == Allow }
