package i18n

import (
	"regexp"
	"strings"
)

// Texts about a turn while it runs.
const (
	ProgressWorking  ID = "progress_working"
	ProgressStill    ID = "progress_still"    // a separate line; %s how long it runs
	ProgressStillAt  ID = "progress_still_at" // the same; %s how long, %s what it does
	ProgressAsking   ID = "progress_asking"   // a call waits for a user
	ProgressProvider ID = "progress_provider" // it waits for its model provider
	ProgressGoesOn   ID = "progress_goes_on"  // and continues automatically; %s why it waits
	ProgressQuiet    ID = "progress_quiet"    // nothing was heard for long
	ProgressDone     ID = "progress_done"     //
	ProgressStopped  ID = "progress_stopped"  //
	ProgressFailed   ID = "progress_failed"   //
	ProgressLost     ID = "progress_lost"     // its run was closed from outside
	ProgressFor      ID = "progress_for"      // %s how long it runs
	ProgressTook     ID = "progress_took"     // %s how long it took
	ProgressCalls    ID = "progress_calls"    // %d calls of tools
	ProgressCall     ID = "progress_call"     // one call
	ProgressEarlier  ID = "progress_earlier"  // %d calls that are not listed
	ProgressSilent   ID = "progress_silent"   // %s since when nothing was heard
	ProgressThinking ID = "progress_thinking" // the model is at work
	ProgressCompress ID = "progress_compress" // the context is being compressed
	ProgressWaits    ID = "progress_waits"    // next to a call: it waits for a permission
	ProgressBehind   ID = "progress_behind"   // next to a call: it continues in the background
	ProgressOutput   ID = "progress_output"   // above the last output of a command
	ProgressTodos    ID = "progress_todos"    // %d done of %d
)

// Durations.
const (
	ProgressSeconds ID = "progress_seconds" // %d
	ProgressMinute  ID = "progress_minute"  // %d minutes
	ProgressMinutes ID = "progress_minutes" // %d minutes, %d seconds
	ProgressHours   ID = "progress_hours"   // %d hours, %d minutes
	ProgressHour    ID = "progress_hour"    // %d hours
)

var progress = map[ID]map[Lang]string{
	ProgressWorking:  {English: "Working", Chinese: "运行中"},
	ProgressStill:    {English: "Still working, for %s so far.", Chinese: "仍在处理，已用时 %s。"},
	ProgressStillAt:  {English: "Still working, for %s so far: %s", Chinese: "仍在处理，已用时 %s：%s"},
	ProgressAsking:   {English: "Waiting for an answer", Chinese: "等待答复"},
	ProgressProvider: {English: "Waiting for the model provider", Chinese: "等待模型服务"},
	ProgressGoesOn:   {English: "The model provider cannot be reached (%s). This goes on by itself when it is back; /stop ends it.", Chinese: "暂时无法连接模型服务(%s)，恢复后自动继续；发送 /stop 可结束。"},
	ProgressQuiet:    {English: "Working, without news for a while", Chinese: "疑似无响应"},
	ProgressDone:     {English: "Done", Chinese: "已完成"},
	ProgressStopped:  {English: "Stopped", Chinese: "已中断"},
	ProgressFailed:   {English: "Failed", Chinese: "失败"},
	ProgressLost:     {English: "Ended from outside", Chinese: "已被外部终止"},
	ProgressFor:      {English: "%s", Chinese: "已运行 %s"},
	ProgressTook:     {English: "%s", Chinese: "用时 %s"},
	ProgressCalls:    {English: "%d tool calls", Chinese: "工具调用 %d 次"},
	ProgressCall:     {English: "1 tool call", Chinese: "工具调用 1 次"},
	ProgressEarlier:  {English: "… %d before", Chinese: "… 此前 %d 次"},
	ProgressSilent:   {English: "no news for %s", Chinese: "已 %s 没有动静"},
	ProgressThinking: {English: "Thinking …", Chinese: "思考中 …"},
	ProgressCompress: {English: "Compressing the conversation …", Chinese: "正在压缩上下文 …"},
	ProgressWaits:    {English: "waits for an answer", Chinese: "等待答复"},
	ProgressBehind:   {English: "goes on in the background", Chinese: "已转入后台"},
	ProgressOutput:   {English: "Last output:", Chinese: "最近输出："},
	ProgressTodos:    {English: "Plan: %d of %d done", Chinese: "计划：已完成 %d/%d"},
	ProgressSeconds:  {English: "%d s", Chinese: "%d 秒"},
	ProgressMinute:   {English: "%d min", Chinese: "%d 分"},
	ProgressMinutes:  {English: "%d min %d s", Chinese: "%d 分 %d 秒"},
	ProgressHours:    {English: "%d h %d min", Chinese: "%d 小时 %d 分"},
	ProgressHour:     {English: "%d h", Chinese: "%d 小时"},
}

// Received confirms at once that a message arrived.
const Received ID = "received"

var feedback = map[ID]map[Lang]string{
	Received: {English: "Got it!", Chinese: "收到！"},
}

// Notices for the operator, and for users about their turns, in chats on platforms.
const (
	NoticesTitle ID = "notices_title"
	Started      ID = "started"      // version, address
	StartedAway  ID = "started_away" // names of bots
	StartedDemo  ID = "started_demo"
	// WorkspaceIsHome has the home folder, and the setting for a separate folder.
	WorkspaceIsHome ID = "workspace_is_home"

	TurnFinished ID = "turn_finished" // title, how long it took
	TurnFailed   ID = "turn_failed"   // title, how long it took
	TurnAsks     ID = "turn_asks"     // title, for how long it runs
	TurnAnswer   ID = "turn_answer"   // one of these, first line of the answer
	TurnUntitled ID = "turn_untitled"
)

var notices = map[ID]map[Lang]string{
	NoticesTitle: {English: "Notices of the server", Chinese: "服务器通知"},
	Started:      {English: "xbot %s has started: %s", Chinese: "xbot %s 已启动：%s"},
	StartedAway:  {English: "Not connected: %s", Chinese: "未连接：%s"},
	StartedDemo:  {English: "No model is connected; the built-in demo answers.", Chinese: "尚未连接模型，目前由内置演示回答。"},
	WorkspaceIsHome: {
		English: "Commands on the server's own machine work in the home folder %s, as before: they read, change and delete every file there. Fresh installations use a separate folder. To do so, too, set %s and restart the server. This notice is not repeated.",
		Chinese: "服务器本机上的命令仍以主目录 %s 为工作目录：可以读取、更改和删除其中的所有文件。新安装使用单独的文件夹。如需改用，请设置 %s 并重启服务器。此通知不再重复。",
	},
	TurnFinished: {English: "**%s**: finished after %s", Chinese: "**%s**：已完成，用时 %s"},
	TurnFailed:   {English: "**%s**: ended with a fault after %s, without an answer", Chinese: "**%s**：%s 后出错结束，没有回答"},
	TurnAsks:     {English: "**%s**: needs your answer, after %s", Chinese: "**%s**：运行 %s 后，需要你的答复"},
	TurnAnswer:   {English: "%s: %s", Chinese: "%s：%s"},
	TurnUntitled: {English: "Your conversation", Chinese: "你的对话"},
}

// reasons are those for which a model is asked again, as they are recorded (llm.Reason).
var reasons = map[string]string{
	"rate limit": "请求过于频繁", "truncated stream": "回答中断", "timeout": "超时", "network": "网络故障", "empty answer": "没有回答", "server error": "服务端错误",
}

// ofRunner is a reason of a model that is reached through a runner.
var ofRunner = regexp.MustCompile(`^runner (.+?)(?: is offline|: (.*))$`)

// Reason returns why a model is asked again, which is recorded in English, in a language.
func Reason(lang Lang, reason string) string {
	if lang != Chinese {
		return reason
	}
	if m := ofRunner.FindStringSubmatch(reason); m != nil {
		if m[2] == "" {
			return "运行器 " + m[1] + " 离线"
		}
		return "运行器 " + m[1] + "：" + Reason(lang, m[2])
	}
	what, status, answered := strings.Cut(reason, ", HTTP ")
	said, known := reasons[what]
	switch {
	case !known:
		return reason
	case answered:
		return said + "，HTTP " + status
	}
	return said
}
