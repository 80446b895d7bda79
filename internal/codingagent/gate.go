package codingagent

// Verdict is the decision of the turn's policy on an action that an agent asks for.
type Verdict int

// Verdicts. An action that is not known to be allowed is asked about, and refused if there is no user to ask.
const (
	Ask Verdict = iota
	Allow
	Deny
)

// Gate decides for an agent without a sandbox. inside means that the changed files are in the folders that the turn may
// write. A command may write anywhere, so it is never inside.
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
