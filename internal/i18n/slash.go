package i18n

// Texts of commands about xbot itself: help, status, folders, settings.
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

	HelpMore    ID = "help_more"    // below the commands of one screen
	HelpEach    ID = "help_each"    // below the names of all
	HelpAll     ID = "help_all"     // the word behind the command for all
	HelpBetween ID = "help_between" // what commands do
	HelpListed  ID = "help_listed"  // between names of a command
	HelpAliases ID = "help_aliases" // %s names
	HelpQueued  ID = "help_queued"
	HelpOwners  ID = "help_owners"
	HelpAdmins  ID = "help_admins"
	HelpInline  ID = "help_inline"

	PurposeTalk   ID = "purpose_talk"
	PurposeStop   ID = "purpose_stop"
	PurposeDecide ID = "purpose_decide"
	PurposeFind   ID = "purpose_find"
	PurposeFiles  ID = "purpose_files"
	PurposeGroup  ID = "purpose_group"
	PurposeState  ID = "purpose_state"
	PurposeServer ID = "purpose_server"

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

	HelpMore:    {English: "`/help all` names all commands, `/help stop` explains one.", Chinese: "命令也可以用中文写，如 `/停止`。`/帮助 全部` 列出全部命令，`/帮助 停止` 说明某个命令。"},
	HelpEach:    {English: "`/help COMMAND` explains one, `/commands` lists all with their arguments.", Chinese: "`/help 命令` 查看某个命令的详情，`/commands` 列出全部命令及参数。"},
	HelpAll:     {English: "all", Chinese: "全部"},
	HelpBetween: {English: "; ", Chinese: "；"},
	HelpListed:  {English: "`, `/", Chinese: "`、`/"},
	HelpAliases: {English: "Also: %s", Chinese: "别名：%s"},
	HelpQueued:  {English: "It waits until the messages before it are answered.", Chinese: "它会排在之前的消息之后执行。"},
	HelpOwners:  {English: "For the owner of the conversation, and administrators.", Chinese: "仅限对话的所有者和管理员。"},
	HelpAdmins:  {English: "For administrators.", Chinese: "仅限管理员。"},
	HelpInline:  {English: "It also works inside a message.", Chinese: "也可以写在消息中间。"},

	PurposeTalk:   {English: "Talk", Chinese: "对话"},
	PurposeStop:   {English: "Stop and go on", Chinese: "停止与继续"},
	PurposeDecide: {English: "Allow and deny", Chinese: "允许与拒绝"},
	PurposeFind:   {English: "Find and keep", Chinese: "查找与保存"},
	PurposeFiles:  {English: "Files", Chinese: "文件"},
	PurposeGroup:  {English: "This group", Chinese: "本群"},
	PurposeState:  {English: "State and settings", Chinese: "状态与设置"},
	PurposeServer: {English: "For administrators", Chinese: "管理员"},

	"short_new":         {English: "begins a new conversation", Chinese: "开始新对话"},
	"short_model":       {English: "chooses who answers", Chinese: "选择模型"},
	"short_plan":        {English: "plans before acting", Chinese: "先计划再执行"},
	"short_language":    {English: "sets the language", Chinese: "设置语言"},
	"short_stop":        {English: "ends the answer", Chinese: "停止回答"},
	"short_continue":    {English: "goes on where it stopped", Chinese: "从中断处继续"},
	"short_retry":       {English: "answers again", Chinese: "重新回答"},
	"short_rewind":      {English: "takes back your last message", Chinese: "收回上一条消息"},
	"short_approve":     {English: "allows what waits", Chinese: "允许等待中的操作"},
	"short_deny":        {English: "refuses it", Chinese: "拒绝该操作"},
	"short_permissions": {English: "says what asks first", Chinese: "设置哪些操作先询问"},
	"short_search":      {English: "finds what was said", Chinese: "查找说过的话"},
	"short_session":     {English: "changes to another conversation", Chinese: "切换对话"},
	"short_memory":      {English: "shows what I remember", Chinese: "查看记忆"},
	"short_export":      {English: "gives you the conversation", Chinese: "导出本对话"},
	"short_ls":          {English: "lists files", Chinese: "列出文件"},
	"short_cd":          {English: "changes the folder", Chinese: "切换文件夹"},
	"short_runner":      {English: "says where commands run", Chinese: "命令在哪里运行"},
	"short_activation":  {English: "says when I listen", Chinese: "设置何时回应"},
	"short_send":        {English: "says whether I answer", Chinese: "设置是否发送回答"},
	"short_status":      {English: "shows what I do", Chinese: "查看当前状态"},
	"short_usage":       {English: "shows what was used", Chinese: "查看用量"},
	"short_settings":    {English: "your settings", Chinese: "个人设置"},
	"short_link":        {English: "joins your accounts", Chinese: "关联你的账号"},
	"short_pair":        {English: "lets people in", Chinese: "批准新人使用"},
	"short_config":      {English: "the rules of the installation", Chinese: "本系统的策略"},
	"short_hooks":       {English: "programs that watch", Chinese: "监督程序"},

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

// GroupName returns what a group of commands is called.
func GroupName(lang Lang, group string) string { return Say(lang, ID("group_"+group)) }

// InShort returns what a command does in a few words, for the help of one screen.
func InShort(lang Lang, name string) string { return Say(lang, ID("short_"+name)) }
