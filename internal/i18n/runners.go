package i18n

// What is said of runners.
const (
	RunnerUsed        ID = "runner_used"         // %s name
	RunnerUsedOffline ID = "runner_used_offline" // %s name
	RunnerNow         ID = "runner_now"          // %s name, %s model
	RunnerNone        ID = "runner_none"         // nowhere to run commands
	RunnerGone        ID = "runner_gone"         // %s name of a chosen runner that was revoked
	RunnerMade        ID = "runner_made"         // %s name
	RunnerRevoked     ID = "runner_revoked"      // %s name
	RunnerOfScene     ID = "runner_of_scene"     // %s name of the runner that the policy names for a scene, and that is not there for whom it would serve
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
