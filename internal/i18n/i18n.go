// Package i18n is the catalogue of sentences that the product says to people, in English and Chinese.
// It is the only place where such sentences are written.
package i18n

import (
	"cmp"
	"fmt"
	"unicode"
)

// Lang is a language of the catalogue.
type Lang string

// The languages.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Of guesses the language of a text: Chinese when it has a Han character, else English.
func Of(text string) Lang {
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			return Chinese
		}
	}
	return English
}

// ID names a sentence.
type ID string

// The sentences.
const (
	Stopped        ID = "stopped"          // a person stopped the turn
	StoppedQueued  ID = "stopped_queued"   // a queued message was cleared by a stop
	StopsTurn      ID = "stops_turn"       // answer to a stop: a turn runs
	StopsNothing   ID = "stops_nothing"    // answer to a stop: none runs
	StopsQueued    ID = "stops_queued"     // added to both; %d messages
	Interrupted    ID = "interrupted"      // a newer message stopped the turn
	Superseded     ID = "superseded"       // a newer message took the place of one that waited
	Recalled       ID = "recalled"         // its sender took a message back that waited
	DroppedNew     ID = "dropped_new"      // the queue was full; %d how many wait
	DroppedOld     ID = "dropped_old"      // the same, of the oldest message
	Summarized     ID = "summarized"       // the same, and it becomes a line before the next one
	SummarizedHead ID = "summarized_head"  // what the model reads above such lines; %d of them
	StepLimit      ID = "step_limit"       // %d steps
	ModelFailed    ID = "model_failed"     // %d attempts, %s reason
	ProviderWaits  ID = "provider_waits"   // %s reason, %s how long at most
	ModelRefused   ID = "model_refused"    // %s reason
	ModelNotCalled ID = "model_not_called" // %s reason
	ModelTooLong   ID = "model_too_long"   // the conversation exceeds the context window
	ModelLoops     ID = "model_loops"      // name of a tool, how many times
	Broken         ID = "broken"           // our bug
	Gone           ID = "gone"             // the run was closed from outside
	QuestionGone   ID = "question_gone"    // the same, of a turn that only waited for an answer
	RunPaused      ID = "run_paused"       // an administrator paused the run in the Temporal UI
	DeliveryPaused ID = "delivery_paused"  // the same of the delivery of answers
	JobPaused      ID = "job_paused"       // the same of a job; %s name
	Held           ID = "held"             // the run is blocked by a fault in workflow code
	Throttled      ID = "throttled"        // as many turns run as may
	SentUnknown    ID = "sent_unknown"     // an answer may or may not have reached its platform
	NoticeUnknown  ID = "notice_unknown"   // the same of a sentence of the product
	Delayed        ID = "delayed"          // before an answer that comes late; %s is when it was written
	AskClosed      ID = "ask_closed"       // an answer came to a question that is not open
	Retrying       ID = "retrying"         // %s reason, %d next attempt, %d of
	StillKilled    ID = "still_killed"     // %d commands of a stopped turn whose runner has not heard of the kill
	CallInterrupt  ID = "call_interrupt"   // result of a call that a stop ended
	CallNotRun     ID = "call_not_run"     // result of a call that a stop kept from starting
	CallSkipped    ID = "call_skipped"     // result of a call that a message kept from starting
	CallUnknown    ID = "call_unknown"     // result of a call nobody can know about
	CallBroken     ID = "call_broken"      // result of a call that our bug ended
	CallRunner     ID = "call_runner"      // result of a call that its runner broke; %s says which and how
	CallDenied     ID = "call_denied"      // result of a call that a person denied; %s who, %s note
	CallForbidden  ID = "call_forbidden"   // result of a call of a tool that a rule denies; %s tool
	CallUnasked    ID = "call_unasked"     // result of a call that needs a permission nobody gave
	TasksFull      ID = "tasks_full"       // result of a command that too many tasks keep from starting; takes their number
	Unanswered     ID = "unanswered"       // note of xbot when it denies a call because nobody answered
	Allowed        ID = "allowed"          // a person allowed a call; %s which
	Denied         ID = "denied"           // a person denied a call; %s which
	NothingAsked   ID = "nothing_asked"    // an answer without a question
	BangExited     ID = "bang_exited"      // %d exit code, %s how long it ran
	BangTimedOut   ID = "bang_timed_out"   // %d seconds
	BangKilled     ID = "bang_killed"      // %s how long it ran
	BangLost       ID = "bang_lost"        // nobody can know how the command ended
	BangWhole      ID = "bang_whole"       // %s size; the text of a link
	BangRefused    ID = "bang_refused"     // %s why the command could not be run
	BangBroken     ID = "bang_broken"      // our bug
	LinkExpired    ID = "link_expired"     // a signed link that was good once
	LinkForged     ID = "link_forged"      // a link that this server did not sign
	LinkNoFile     ID = "link_no_file"     // what the link leads to was removed
	LinkNoRunner   ID = "link_no_runner"   // the account or the runner behind the link is gone
	LinkOffline    ID = "link_offline"     // %s runner
	LinkLater      ID = "link_later"       // something is down

	RunnerUsed        ID = "runner_used"         // %s name
	RunnerUsedOffline ID = "runner_used_offline" // %s name
	RunnerNow         ID = "runner_now"          // %s name, %s model
	RunnerNone        ID = "runner_none"         // nowhere to run commands
	RunnerGone        ID = "runner_gone"         // %s name of a chosen runner that was revoked
	RunnerMade        ID = "runner_made"         // %s name
	RunnerRevoked     ID = "runner_revoked"      // %s name
	RunnerUsage       ID = "runner_usage"        // how /runner is written
	RunnerOnline      ID = "runner_online"
	RunnerOffline     ID = "runner_offline"
)

var catalogue = map[ID]map[Lang]string{
	Stopped:        {English: "Stopped.", Chinese: "已停止。"},
	StoppedQueued:  {English: "Not started: the conversation was stopped before this message's turn.", Chinese: "未开始：轮到这条消息之前，对话已被停止。"},
	StopsTurn:      {English: "Stopping the turn.", Chinese: "正在停止本轮。"},
	StopsNothing:   {English: "Nothing was running.", Chinese: "当前没有正在运行的任务。"},
	StopsQueued:    {English: "Waiting messages that were cleared: %d.", Chinese: "已清除的等待消息：%d 条。"},
	Interrupted:    {English: "Interrupted by a newer message.", Chinese: "已被较新的消息中断。"},
	Superseded:     {English: "Not answered on its own: a newer message took its place. The model still sees it.", Chinese: "不再单独回答：较新的消息取代了它，模型仍会看到它。"},
	Recalled:       {English: "Taken back before it was answered.", Chinese: "已在回答之前撤回。"},
	DroppedNew:     {English: "Not accepted into the queue: %d messages wait already. Send it again when some were answered.", Chinese: "未能排队：已有 %d 条消息在等待。请在部分消息得到回答后再发送。"},
	DroppedOld:     {English: "Dropped for a newer message: no more than %d messages may wait. Send it again if it still matters.", Chinese: "已为较新的消息让位：最多只能有 %d 条消息等待。如仍需要，请重新发送。"},
	Summarized:     {English: "Not answered on its own: no more than %d messages may wait. Its beginning is told to the model before the next message.", Chinese: "不再单独回答：最多只能有 %d 条消息等待。它的开头会在下一条消息之前告诉模型。"},
	SummarizedHead: {English: "Messages that found the queue full and get no answer of their own (%d), each cut to one line:", Chinese: ""},
	StepLimit:      {English: "I stopped after %d steps, which is the limit for one turn. Write \"continue\" to go on.", Chinese: "我在 %d 步后停下了，这是单轮的上限。发送「继续」即可接着做。"},
	ModelFailed:    {English: "The model could not answer after %d attempts (%s). Your message is kept; send it again in a moment.", Chinese: "模型在 %d 次尝试后仍无法回答(%s)。消息已保留，请稍后重新发送。"},
	ProviderWaits:  {English: "The model provider cannot be reached (%s). This turn waits and goes on by itself when it is back, within %s at most; /stop ends it.", Chinese: "暂时无法连接模型服务(%s)。这一轮会等待，恢复后自动继续，最长 %s；发送 /stop 可结束。"},
	ModelRefused:   {English: "The model refused the request: %s", Chinese: "模型拒绝了请求：%s"},
	ModelNotCalled: {English: "No model was asked: %s", Chinese: "没有调用任何模型：%s"},
	ModelLoops:     {English: "Stopped: the model called %s %d times in a row and got the same result each time. Say what to try instead.", Chinese: "已停止：模型连续以同样的方式调用 %s %d 次，每次结果都相同。请说明接下来该怎么做。"},
	ModelTooLong:   {English: "This conversation is longer than the model's context window. Start a new one to go on.", Chinese: "这个对话超出了模型的上下文长度。请新建一个对话继续。"},
	Broken:         {English: "Something in xbot itself went wrong, so this turn ended without an answer. The conversation is intact; the details are in the server's log.", Chinese: "xbot 自身出错，这一轮没有得到回答。对话完好，详情见服务器日志。"},
	Gone:           {English: "This turn was ended from outside before it could answer. What it had done so far is above; check it before you repeat anything, then send your message again.", Chinese: "这一轮在回答之前被外部终止。已完成的部分见上文；重复操作之前请先检查，然后重新发送消息。"},
	QuestionGone:   {English: "This turn waited for your answer, and what waited is gone: xbot was restored from a backup, or the turn was ended from outside. The question cannot be answered any more, and what was asked about was not begun. Write \"continue\" to go on; you are asked again where it is needed.", Chinese: "这一轮当时在等待你的答复，但等待它的任务已不存在：xbot 从备份恢复，或这一轮被外部终止。该问题已无法再答复，所询问的操作也没有开始。发送「继续」即可接着做，需要时会再次询问。"},
	RunPaused:      {English: "An administrator has paused this turn; it goes on when they let it. /stop ends it.", Chinese: "管理员已暂停本次任务，恢复后会继续。发送 /stop 可以结束它。"},
	DeliveryPaused: {English: "An administrator has paused the delivery of answers to this chat; what is written meanwhile arrives when it goes on.", Chinese: "管理员已暂停向此会话发送回复，恢复后会补发期间的内容。"},
	JobPaused:      {English: "An administrator has paused the schedule %s in the Temporal UI; it runs again when they let it.", Chinese: "管理员已在 Temporal 界面暂停定时任务 %s，恢复后会继续运行。"},
	Held:           {English: "The answer is held up by a fault in the server. Nothing is lost: it goes on by itself once the server is mended.", Chinese: "服务器故障，回答被搁置。没有丢失任何内容：服务器修复后会自动继续。"},
	Throttled:      {English: "Your message waits for a free turn: as many conversations are being answered as may be at once. It is answered by itself when its turn comes.", Chinese: "你的消息正在等待空闲名额：同时回答的对话数已达上限。轮到时会自动回答，无需重发。"},
	SentUnknown:    {English: "It is not known whether my last answer arrived: the connection broke while it was sent. Ask me to repeat it if it did not.", Chinese: "不确定上一条回答是否送达：发送时连接中断。如未收到，请让我重发。"},
	NoticeUnknown:  {English: "It is not known whether my last message arrived: the connection broke while it was sent. The page shows it.", Chinese: "不确定上一条消息是否送达：发送时连接中断。可在网页上查看。"},
	Delayed:        {English: "(delayed, written %s)", Chinese: "(延迟送达，写于 %s)"},
	AskClosed:      {English: "This question is not open any more.", Chinese: "该问题已不再等待答复。"},
	Retrying:       {English: "⚠️ LLM request failed (%s), retrying %d/%d ...", Chinese: "⚠️ 模型请求失败(%s)，正在重试 %d/%d ..."},
	StillKilled:    {English: "Commands that may still run: %d. They are killed as soon as their runner can be told.", Chinese: "可能仍在运行的命令：%d 个。一旦能通知到其运行器，就会终止它们。"},
	CallInterrupt:  {English: "Interrupted: the user stopped this call while it ran. It may have done part of its work; verify before repeating.", Chinese: ""},
	CallNotRun:     {English: "Not run: the user stopped the turn before this call started.", Chinese: ""},
	CallSkipped:    {English: "Not run: skipped to process an incoming message.", Chinese: ""},
	CallUnknown:    {English: "Outcome unknown: the call had started and its end was not seen. It may have done all, part or none of its work; verify before repeating it.", Chinese: ""},
	CallRunner:     {English: "Error: %s, so the outcome is unknown. Verify before repeating it; somebody has to look at that runner.", Chinese: ""},
	CallBroken:     {English: "Error: the tool broke because of a fault in xbot, so its outcome is unknown. Verify before repeating it.", Chinese: ""},
	CallDenied:     {English: "Not run: %s denied this call%s. Do not reach for the same effect by other means; say what you meant to do and ask what to do instead.", Chinese: ""},
	CallForbidden:  {English: "Not run: the user's settings deny every call of %s. Do not reach for the same effect by other means; say what you meant to do and ask what to do instead.", Chinese: ""},
	TasksFull:      {English: "Not run: %d background tasks run already, which is the most for one user. Wait for one to end (task_wait), or kill one that is not needed (task_kill).", Chinese: ""},
	CallUnasked:    {English: "Not run: this call needs the user's permission, and nobody gave it.", Chinese: ""},
	Unanswered:     {English: "Nobody answered in time.", Chinese: "没有人在限期内答复。"},
	Allowed:        {English: "Allowed: %s", Chinese: "已允许：%s"},
	Denied:         {English: "Denied: %s", Chinese: "已拒绝：%s"},
	BangExited:     {English: "exit code %d · %s", Chinese: "退出码 %d · %s"},
	BangTimedOut:   {English: "killed: it was still running after %d s. Ask for it in a message to run it in the background.", Chinese: "已终止：%d 秒后仍在运行。需要更久的命令，请在消息里让我放到后台运行。"},
	BangKilled:     {English: "killed on request after %s", Chinese: "已按要求终止，运行了 %s"},
	BangLost:       {English: "Outcome unknown: the command had started, then the machine or its runner went away. Check what it did before you repeat it.", Chinese: "结果未知：命令启动之后，机器或 runner 断开了。重复之前请先检查它做了什么。"},
	BangWhole:      {English: "whole output, %s", Chinese: "完整输出，%s"},
	BangRefused:    {English: "Not run: %s", Chinese: "未执行：%s"},
	BangBroken:     {English: "Something in xbot itself went wrong, so the outcome of this command is unknown. The details are in the server's log.", Chinese: "xbot 自身出错，这条命令的结果未知。详情见服务器日志。"},
	NothingAsked:   {English: "Nothing here waits for permission.", Chinese: "当前没有等待许可的操作。"},
	LinkExpired:    {English: "This link has expired. Ask for a new one.", Chinese: "此链接已过期，请重新获取。"},
	LinkForged:     {English: "This link is not valid. Check that it was copied whole.", Chinese: "此链接无效，请检查是否完整复制。"},
	LinkNoFile:     {English: "The file of this link is not there any more.", Chinese: "此链接指向的文件已不存在。"},
	LinkNoRunner:   {English: "The account or the runner of this link is not there any more, or may not be used.", Chinese: "此链接所属的账号或运行器已不存在，或不再可用。"},
	LinkOffline:    {English: "The file is on runner %s, which is offline. Try again when it is connected.", Chinese: "文件位于运行器 %s，该运行器当前离线，请在其连接后重试。"},
	LinkLater:      {English: "The file cannot be read right now. Try again in a moment.", Chinese: "暂时无法读取该文件，请稍后重试。"},

	RunnerUsed:        {English: "Commands run on `%s` from now on.", Chinese: "此后命令将在 `%s` 上运行。"},
	RunnerUsedOffline: {English: "Commands run on `%s` from now on. It is offline at the moment: start xbot-runner there.", Chinese: "此后命令将在 `%s` 上运行。它目前离线：请在那台机器上启动 xbot-runner。"},
	RunnerNow:         {English: "Commands run on `%s` now; answers come from %s.", Chinese: "命令现在在 `%s` 上运行；回答来自 %s。"},
	RunnerNone:        {English: "There is no place to run commands yet. Connect a runner of your own: Settings, Runners, or `/runner create NAME`.", Chinese: "目前没有可以运行命令的地方。请连接自己的运行器：设置 → 运行器，或 `/runner create 名称`。"},
	RunnerGone:        {English: "`%s`, which you chose, is not there any more, so commands are refused. Choose another place with `/runner use NAME`, or `/runner use default`.", Chinese: "所选的 `%s` 已不存在，命令会被拒绝。请用 `/runner use 名称` 另选，或 `/runner use default` 恢复默认。"},
	RunnerMade:        {English: "Runner `%s` is made. Conversations are kept, so its token is not shown here: Settings, Runners, New token shows one, once, with the command to start it.", Chinese: "已创建运行器 `%s`。对话会被保存，因此令牌不在此显示：请在 设置 → 运行器 → 新令牌 中查看(仅显示一次，并附启动命令)。"},
	RunnerRevoked:     {English: "Runner `%s` is revoked and its connection closed.", Chinese: "运行器 `%s` 已吊销，连接已关闭。"},
	RunnerUsage:       {English: "Write `/runner`, `/runner use NAME`, `/runner use default`, `/runner create NAME` or `/runner revoke NAME`.", Chinese: "用法：`/runner`、`/runner use 名称`、`/runner use default`、`/runner create 名称` 或 `/runner revoke 名称`。"},
	RunnerOnline:      {English: "online", Chinese: "在线"},
	RunnerOffline:     {English: "offline", Chinese: "离线"},
}

// catalogues hold all sentences, one for each part of the product.
var catalogues = []map[ID]map[Lang]string{
	catalogue, commandHelp, history, resets, usage, contextNotices, prompts, gateway, numbered, access,
	memories, profiles, subagents, groups, channels, trial, asks, queues, crons, cronTimes, triggers, todos,
	context, models, slashes, refusals, progress, feedback, inquiries, files, hooks,
}

// Say returns the sentence in the language, English where there is no translation. What the model reads is English.
func Say(lang Lang, id ID, args ...any) string {
	for _, sentences := range catalogues {
		said, known := sentences[id]
		if !known {
			continue
		}
		format := cmp.Or(said[lang], said[English])
		if len(args) == 0 {
			return format
		}
		return fmt.Sprintf(format, args...)
	}
	return ""
}
