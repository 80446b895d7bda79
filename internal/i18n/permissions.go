package i18n

// What people are told of what tools may do.
const (
	HelpPermissions  ID = "help_permissions"
	PermissionsUsage ID = "permissions_usage"
	PermissionsRules ID = "permissions_rules" // above the rules of the person
	PresetHere       ID = "preset_here"       // %s preset, %s what it means
	PresetFollows    ID = "preset_follows"    // %s preset, %s what it means
	PresetReadOnly   ID = "preset_read_only"  // what it means
	PresetAsk        ID = "preset_ask"
	PresetAuto       ID = "preset_auto"
)

var permissions = map[ID]map[Lang]string{
	HelpPermissions:  {English: "shows or chooses what tools may do in this conversation; default: as in all of yours", Chinese: "查看或设置工具在本对话中可以做什么；default：与您的所有对话相同"},
	PermissionsUsage: {English: "Write `/permissions`, or `/permissions` and one of `read_only`, `ask`, `auto` and `default`.", Chinese: "用法：`/permissions`，或在其后写 `read_only`、`ask`、`auto` 或 `default`。"},
	PermissionsRules: {English: "These rules come first:", Chinese: "以下规则优先："},
	PresetHere:       {English: "In this conversation: **%s**. %s", Chinese: "本对话：**%s**。%s"},
	PresetFollows:    {English: "As in all conversations: **%s**. %s", Chinese: "与所有对话相同：**%s**。%s"},
	PresetReadOnly:   {English: "Tools read and search. They change nothing and run no command, whatever the rules say.", Chinese: "工具只读取和搜索。无论规则如何，都不做更改，也不运行命令。"},
	PresetAsk:        {English: "You are asked before a command runs, and before anything is changed or sent.", Chinese: "运行命令、更改或发送任何内容之前都会先询问您。"},
	PresetAuto:       {English: "Tools run without a question, within the sandbox.", Chinese: "工具在沙箱内直接运行，不询问。"},
}
