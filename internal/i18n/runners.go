package i18n

// Texts about runners.
const (
	RunnerUsed        ID = "runner_used"         // %s name
	RunnerUsedOffline ID = "runner_used_offline" // %s name
	RunnerNow         ID = "runner_now"          // %s name, %s model
	RunnerNone        ID = "runner_none"         // nowhere to run commands
	RunnerGone        ID = "runner_gone"         // %s name of a chosen runner that was revoked
	RunnerMade        ID = "runner_made"         // %s name
	RunnerRevoked     ID = "runner_revoked"      // %s name
	RunnerOfScene     ID = "runner_of_scene"     // %s name of the runner that the policy names for a scene, and that is not there for the user
	RunnerUsage       ID = "runner_usage"        // how /runner is written
	RunnerOnline      ID = "runner_online"
	RunnerOffline     ID = "runner_offline"
)

var runners = map[ID]map[Lang]string{
	RunnerUsed:        {English: "Commands run on `%s` from now on.", Chinese: "此后命令将在 `%s` 上运行。"},
	RunnerUsedOffline: {English: "Commands run on `%s` from now on. It is offline at the moment: start xbot-runner there.", Chinese: "此后命令将在 `%s` 上运行。它目前离线：请在那台机器上启动 xbot-runner。"},
	RunnerNow:         {English: "Commands run on `%s` now; answers come from %s.", Chinese: "命令现在在 `%s` 上运行；回答来自 %s。"},
	RunnerNone:        {English: "There is no runner for your commands yet. Connect a runner of your own: Settings, Runners, or `/runner create NAME`.", Chinese: "目前没有可以运行命令的地方。请连接自己的运行器：设置 → 运行器，或 `/runner create 名称`。"},
	RunnerGone:        {English: "The runner that you chose, `%s`, no longer exists, so commands are refused. Choose another with `/runner use NAME`, or `/runner use default`.", Chinese: "所选的 `%s` 已不存在，命令会被拒绝。请用 `/runner use 名称` 另选，或 `/runner use default` 恢复默认。"},
	RunnerMade:        {English: "Runner `%s` is made. Conversations are kept, so its token is not shown here: Settings, Runners, New token shows one, once, with the command to start it.", Chinese: "已创建运行器 `%s`。对话会被保存，因此令牌不在此显示：请在 设置 → 运行器 → 新令牌 中查看(仅显示一次，并附启动命令)。"},
	RunnerRevoked:     {English: "Runner `%s` is revoked and its connection closed.", Chinese: "运行器 `%s` 已吊销，连接已关闭。"},
	RunnerOfScene:     {English: "The policy lets the commands of this conversation run on the runner `%s` alone, and whom the conversation belongs to has no runner of that name: an administrator can make it, or change the policy.", Chinese: "根据策略，本对话的命令只能在运行器 `%s` 上运行，而对话的所有者没有这个运行器：请管理员创建它，或修改策略。"},
	RunnerUsage:       {English: "Write `/runner`, `/runner use NAME`, `/runner use default`, `/runner create NAME` or `/runner revoke NAME`.", Chinese: "用法：`/runner`、`/runner use 名称`、`/runner use default`、`/runner create 名称` 或 `/runner revoke 名称`。"},
	RunnerOnline:      {English: "online", Chinese: "在线"},
	RunnerOffline:     {English: "offline", Chinese: "离线"},
}

// Sentences about the hooks, MCP servers and skills of a folder.
const (
	HelpFolder      ID = "help_folder"
	FolderUsage     ID = "folder_usage"    // how /folder is written
	FolderEmpty     ID = "folder_empty"    // there is nothing to agree to
	FolderState     ID = "folder_state"    // %s folder, %s runner, %s one of the states
	FolderAsks      ID = "folder_asks"     // state
	FolderAgreed    ID = "folder_agreed"   // state
	FolderChanged   ID = "folder_changed"  // state
	FolderBarred    ID = "folder_barred"   // state
	FolderUnusable  ID = "folder_unusable" // state
	FolderRuns      ID = "folder_runs"     // %s server, %s command
	FolderCalls     ID = "folder_calls"    // %s server, %s address
	FolderWith      ID = "folder_with"     // %s variables and names of headers
	FolderHook      ID = "folder_hook"     // %s event, %s command or address
	FolderSkill     ID = "folder_skill"    // %s folder
	FolderNote      ID = "folder_note"     // %s file
	FolderAgree     ID = "folder_agree"    // %s beginning of the digest
	FolderMayNot    ID = "folder_may_not"
	FolderLong      ID = "folder_long"
	FolderOther     ID = "folder_other"
	FolderWithdrawn ID = "folder_withdrawn" // %s folder
	FolderWaits     ID = "folder_waits"     // behind the folder of a conversation
)

var folders = map[ID]map[Lang]string{
	HelpFolder:      {English: "shows the hooks, MCP servers and skills of this folder, and lets you agree to use them", Chinese: "显示此文件夹中的钩子、MCP 服务器和技能，并可同意使用"},
	FolderUsage:     {English: "Write `/folder`, `/folder agree DIGEST` with the digest that `/folder` shows, or `/folder withdraw`.", Chinese: "用法：`/folder`、`/folder agree 摘要`（摘要见 `/folder`）或 `/folder withdraw`。"},
	FolderEmpty:     {English: "This folder has no hooks, MCP servers or skills of its own.", Chinese: "此文件夹没有自己的钩子、MCP 服务器或技能。"},
	FolderState:     {English: "%s on %s: %s", Chinese: "%s(%s)：%s"},
	FolderAsks:      {English: "not used, because you have not agreed", Chinese: "未使用：你还没有同意"},
	FolderAgreed:    {English: "used", Chinese: "使用中"},
	FolderChanged:   {English: "not used, because it has changed since you agreed", Chinese: "未使用：你同意之后内容已改变"},
	FolderBarred:    {English: "not used, because you agreed but may no longer", Chinese: "未使用：你同意过，但现在已无权同意"},
	FolderUnusable:  {English: "not used, because it cannot be read", Chinese: "未使用：无法读取"},
	FolderRuns:      {English: "MCP server %s runs %s", Chinese: "MCP 服务器 %s 运行 %s"},
	FolderCalls:     {English: "MCP server %s is at %s", Chinese: "MCP 服务器 %s 的地址是 %s"},
	FolderWith:      {English: " with %s", Chinese: "，并带有 %s"},
	FolderHook:      {English: "%s hook: %s", Chinese: "%s 钩子：%s"},
	FolderSkill:     {English: "Skill: %s", Chinese: "技能：%s"},
	FolderNote:      {English: "Instructions, which the model always reads: %s", Chinese: "说明文件（模型总会读取）：%s"},
	FolderAgree:     {English: "Anyone who can write to the folder, including the model, may have added this. To use it, write `/folder agree %s`.", Chinese: "任何能写入文件夹的人（包括模型）都可能添加了这些内容。要使用，请写 `/folder agree %s`。"},
	FolderMayNot:    {English: "Only administrators may agree to folders here.", Chinese: "此处只有管理员可以同意使用文件夹的内容。"},
	FolderLong:      {English: "It contains too much to show here. Review it on the page under Settings, Tools.", Chinese: "内容太多，无法在此显示。请在网页的 设置 → 工具 中查看。"},
	FolderOther:     {English: "The folder has other contents now. Review them with `/folder`.", Chinese: "文件夹的内容已经不同，请用 `/folder` 重新查看。"},
	FolderWithdrawn: {English: "Nothing of %s is used any more.", Chinese: "不再使用 %s 中的任何内容。"},
	FolderWaits:     {English: "It has hooks, MCP servers or skills that are not used until you agree: `/folder`.", Chinese: "其中的钩子、MCP 服务器或技能需要你同意后才会使用：`/folder`。"},
}
