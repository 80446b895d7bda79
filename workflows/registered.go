package workflows

// Type is a workflow and the name under which workers register it.
type Type struct {
	Name string
	Func any
}

// Registered are the types of all workflows.
func Registered() []Type {
	return []Type{
		{NameTurn, Turn},
		{NameBackground, Background},
		{NameCommand, Command},
		{NameDeliver, Deliver},
		{NameFetch, Fetch},
		{NameCronJob, CronJob},
		{NameSubagent, Subagent},
		{NameGroupChat, GroupChat},
		{NameMemorize, Memorize},
		{NameClosing, Closing},
	}
}
