package i18n

// What commands say that are about xbot itself: help, status, folders, settings.
const (
	PluginSilent ID = "plugin_silent" // %s plugin
	PluginFailed ID = "plugin_failed" // %s command, %s why
	HelpCommands ID = "help_commands"
	HelpStatus   ID = "help_status"
	HelpWhoami   ID = "help_whoami"
	HelpVersion  ID = "help_version"
	HelpPwd      ID = "help_pwd"
	HelpLs       ID = "help_ls"
	HelpCd       ID = "help_cd"
	HelpExport   ID = "help_export"
	HelpConfig   ID = "help_config"
	HelpDebug    ID = "help_debug"

	HelpMore    ID = "help_more"    // below the short list
	HelpAliases ID = "help_aliases" // %s names
	HelpQueued  ID = "help_queued"
	HelpOwners  ID = "help_owners"
	HelpAdmins  ID = "help_admins"
	HelpInline  ID = "help_inline"

	StatusModel    ID = "status_model"    // %s model
	StatusThink    ID = "status_think"    // %s level
	StatusVerbose  ID = "status_verbose"  // %s level
	StatusDefault  ID = "status_default"  // of a level
	StatusContext  ID = "status_context"  // %s of %s tokens, %d percent
	StatusQueue    ID = "status_queue"    // %s mode, %d waiting, %d cap
	StatusWorking  ID = "status_working"  // %d step, %s how long
	StatusTools    ID = "status_tools"    // %s tools
	StatusIdle     ID = "status_idle"     // nothing runs
	StatusRunner   ID = "status_runner"   // %s runner, %s folder
	StatusThread   ID = "status_thread"   // %s agent, %s thread, %s runner, %s command, %s tokens read, %s tokens written
	StatusNowhere  ID = "status_nowhere"  // no runner
	StatusSession  ID = "status_session"  // %s key, %s agent
	StatusChannel  ID = "status_channel"  // %s channel, with the name of the place if it has one
	StatusServer   ID = "status_server"   // %s version, %s uptime
	StatusTemporal ID = "status_temporal" // %s address

	WhoamiUser       ID = "whoami_user"       // %s name, %s role
	WhoamiAdmin      ID = "whoami_admin"      // a role
	WhoamiMember     ID = "whoami_member"     // a role
	WhoamiChannel    ID = "whoami_channel"    // %s channel
	WhoamiIdentities ID = "whoami_identities" // %s where else
	WhoamiOwner      ID = "whoami_owner"      // the conversation is theirs

	LsEmpty  ID = "ls_empty"  // %s folder
	LsMore   ID = "ls_more"   // %d entries left out
	CdUsage  ID = "cd_usage"  // how /cd is written
	CdNow    ID = "cd_now"    // %s folder, %s runner
	CdFile   ID = "cd_file"   // %s path
	CdNone   ID = "cd_none"   // %s path
	ExportAt ID = "export_at" // %s format, %s address
	ExportAs ID = "export_as" // how /export is written

	ConfigUsage  ID = "config_usage"
	ConfigUnset  ID = "config_unset" // %s path: nothing is set
	ConfigSet    ID = "config_set"   // %d version
	ConfigSame   ID = "config_same"
	ConfigNarrow ID = "config_narrow"
	ConfigWrong  ID = "config_wrong" // %s what is wrong with the document, a line each
	ConfigEntry  ID = "config_entry" // %q name, %d entries
	ConfigValue  ID = "config_value" // %q name
)

var slashes = map[ID]map[Lang]string{
	HelpCommands: {English: "lists all commands with their arguments", Chinese: "列出所有命令及其参数"},
	HelpStatus:   {English: "shows the model, the context, the queue, the running turn and the runner", Chinese: "显示模型、上下文、队列、正在运行的内容和位置"},
	HelpWhoami:   {English: "shows who you are here", Chinese: "显示你在此处的身份"},
	HelpVersion:  {English: "shows the version of xbot", Chinese: "显示 xbot 的版本"},
	HelpPwd:      {English: "shows the folder of this conversation", Chinese: "显示本对话所在的文件夹"},
	HelpLs:       {English: "lists a folder, by default that of this conversation", Chinese: "列出文件夹内容，默认是本对话的文件夹"},
	HelpCd:       {English: "changes the folder of this conversation", Chinese: "切换本对话的文件夹"},
	HelpExport:   {English: "gives a link to the whole conversation, as JSON Lines or Markdown", Chinese: "给出整个对话的下载链接，格式为 JSON Lines 或 Markdown"},
	HelpConfig:   {English: "shows or changes the policy of the installation", Chinese: "查看或修改本系统的策略"},
	HelpDebug:    {English: "shows what this server process is busy with", Chinese: "显示服务器进程当前的运行情况"},

	HelpMore:    {English: "`/help COMMAND` explains one, `/commands` lists all with their arguments.", Chinese: "`/help 命令` 查看某个命令的详情，`/commands` 列出全部命令及参数。"},
	HelpAliases: {English: "Also: %s", Chinese: "别名：%s"},
	HelpQueued:  {English: "It waits until the messages before it are answered.", Chinese: "它会排在之前的消息之后执行。"},
	HelpOwners:  {English: "For the owner of the conversation, and administrators.", Chinese: "仅限对话的所有者和管理员。"},
	HelpAdmins:  {English: "For administrators.", Chinese: "仅限管理员。"},
	HelpInline:  {English: "It also works inside a message.", Chinese: "也可以写在消息中间。"},

	"group_conversation": {English: "Conversation", Chinese: "对话"},
	"group_model":        {English: "Model", Chinese: "模型"},
	"group_context":      {English: "Context and usage", Chinese: "上下文与用量"},
	"group_queue":        {English: "Queue and delivery", Chinese: "队列与投递"},
	"group_folder":       {English: "Folders and runners", Chinese: "文件夹与运行器"},
	"group_you":          {English: "You and help", Chinese: "你与帮助"},
	"group_server":       {English: "Server", Chinese: "服务器"},
	"group_plugins":      {English: "Plugins", Chinese: "插件"},
	PluginSilent:         {English: "The plugin %s has done it, and says nothing.", Chinese: "插件 %s 已执行，没有返回内容。"},
	PluginFailed:         {English: "/%s did not work: %s", Chinese: "/%s 执行失败：%s"},

	StatusModel:    {English: "model: %s", Chinese: "模型：%s"},
	StatusThink:    {English: "think: `%s`", Chinese: "思考：`%s`"},
	StatusVerbose:  {English: "verbose: `%s`", Chinese: "详细程度：`%s`"},
	StatusDefault:  {English: "default", Chinese: "默认"},
	StatusContext:  {English: "context: %s of %s tokens (%d %%)", Chinese: "上下文：%s / %s token(%d %%)"},
	StatusQueue:    {English: "queue: `%s`, %d of %d waiting", Chinese: "队列：`%s`，%d / %d 条等待中"},
	StatusWorking:  {English: "running: step %d, for %s", Chinese: "运行中：第 %d 步，已 %s"},
	StatusTools:    {English: ", in %s", Chinese: "，正在调用 %s"},
	StatusIdle:     {English: "running: nothing", Chinese: "运行中：无"},
	StatusThread:   {English: "coding agent: %s, thread %s on %s; in a terminal: %s; tokens read %s, written %s", Chinese: "编程智能体：%s，会话 %s，位于 %s；在终端中继续：%s；读取 %s、写出 %s 个 token"},
	StatusRunner:   {English: "runner: %s, folder %s", Chinese: "运行器：%s，文件夹 %s"},
	StatusNowhere:  {English: "runner: none", Chinese: "运行器：无"},
	StatusSession:  {English: "session: %s, agent `%s`", Chinese: "会话：%s，智能体 `%s`"},
	StatusChannel:  {English: "channel: %s", Chinese: "渠道：%s"},
	StatusServer:   {English: "xbot %s, up for %s", Chinese: "xbot %s，已运行 %s"},
	StatusTemporal: {English: "[the running turn in Temporal](%s)", Chinese: "[在 Temporal 中查看正在运行的回合](%s)"},

	WhoamiUser:       {English: "You are %s, %s.", Chinese: "你是 %s,%s。"},
	WhoamiAdmin:      {English: "an administrator", Chinese: "管理员"},
	WhoamiMember:     {English: "a member", Chinese: "成员"},
	WhoamiChannel:    {English: "You write on %s.", Chinese: "你当前使用的渠道：%s。"},
	WhoamiIdentities: {English: "You are known as %s.", Chinese: "你的其他身份：%s。"},
	WhoamiOwner:      {English: "This conversation is yours.", Chinese: "这个对话属于你。"},

	LsEmpty:  {English: "%s is empty.", Chinese: "%s 是空的。"},
	LsMore:   {English: "… and %d more", Chinese: "……另有 %d 项"},
	CdUsage:  {English: "Write `/cd PATH`; `/pwd` shows where this conversation is.", Chinese: "用法：`/cd 路径`；`/pwd` 显示当前文件夹。"},
	CdNow:    {English: "Now in %s on `%s`.", Chinese: "现在位于 %s(`%s`)。"},
	CdFile:   {English: "%s is a file, not a folder.", Chinese: "%s 是文件，不是文件夹。"},
	CdNone:   {English: "There is no folder %s. `/ls` shows what there is.", Chinese: "没有文件夹 %s。`/ls` 可查看已有内容。"},
	ExportAt: {English: "[This conversation as %s](%s). Whoever opens it must be signed in and may read it.", Chinese: "[本对话(%s)](%s)。打开者须已登录并有权阅读。"},
	ExportAs: {English: "Write `/export jsonl` or `/export md`.", Chinese: "用法：`/export jsonl` 或 `/export md`。"},

	ConfigUsage: {
		English: "Write `/config get [PATH]`, `/config set PATH VALUE` or `/config unset PATH`. A path is like `session.reset.mode`; a name with dots stands in double quotes; a value is JSON, or a word.",
		Chinese: "用法：`/config get [路径]`、`/config set 路径 值` 或 `/config unset 路径`。路径形如 `session.reset.mode`，含点的名称请加双引号；值为 JSON 或单词。",
	},
	ConfigUnset:  {English: "Nothing is set at `%s`.", Chinese: "`%s` 没有设置。"},
	ConfigSet:    {English: "Changed: the policy is version %d now; every process follows within a second.", Chinese: "已修改：策略现为第 %d 版，一秒内在各处生效。"},
	ConfigNarrow: {English: "A token for conversations changes no settings: answer on the page or in the chat.", Chinese: "仅限对话的令牌不能修改设置：请在网页或聊天中回答。"},
	ConfigSame:   {English: "It has this value already.", Chinese: "已经是这样了。"},
	ConfigWrong:  {English: "Nothing was changed, because the document would be invalid:\n\n%s", Chinese: "未作任何修改，因为修改后的文档有误：\n\n%s"},
	ConfigEntry:  {English: "%q is no entry of this list of %d; the first is 0.", Chinese: "%q 不是列表中的条目：列表共有 %d 项，第一项为 0。"},
	ConfigValue:  {English: "There is no %q here: this is a single value.", Chinese: "该处没有 %q：那里是单个值。"},
}

// GroupName is what a group of commands is called.
func GroupName(lang Lang, group string) string { return Say(lang, ID("group_"+group)) }
