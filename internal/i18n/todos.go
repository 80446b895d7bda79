package i18n

// What people are told of what is left to do.
const (
	HelpTodos ID = "help_todos"
	TodosNone ID = "todos_none"
	TodosHere ID = "todos_here"
)

var todos = map[ID]map[Lang]string{
	HelpTodos: {English: "shows what is left to do, here and in your other conversations", Chinese: "查看本对话及你其他对话的待办事项"},
	TodosNone: {English: "There is no to-do list in this conversation.", Chinese: "本对话没有待办事项。"},
	TodosHere: {English: "To do in this conversation:", Chinese: "本对话的待办事项："},
}
