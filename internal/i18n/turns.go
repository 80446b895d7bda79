package i18n

// Texts about turns, and about messages that wait for one.
const (
	Stopped        ID = "stopped"          // a user stopped the turn
	StoppedQueued  ID = "stopped_queued"   // a queued message was cleared by a stop
	StopsTurn      ID = "stops_turn"       // answer to a stop: a turn runs
	StopsNothing   ID = "stops_nothing"    // answer to a stop: none runs
	StopsQueued    ID = "stops_queued"     // added to both; %d messages
	Interrupted    ID = "interrupted"      // a newer message stopped the turn
	ShutOut        ID = "shut_out"         // an administrator disabled the user while it ran
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

	ModelRefusedPlain   ID = "model_refused_plain" // the same two, for users not concerned by the cause
	ModelNotCalledPlain ID = "model_not_called_plain"
	ModelCause          ID = "model_cause"            // to an administrator; %s model, %s reason
	ModelCauseNotCalled ID = "model_cause_not_called" // the same

	ModelToolRefused      ID = "model_tool_refused"       // %s tools, %s reason
	ModelToolRefusedPlain ID = "model_tool_refused_plain" // the same, for users not concerned by the reason; %s tools
	ModelToolCause        ID = "model_tool_cause"         // to an administrator; %s model, %s tools, %s reason

	ModelTooLong   ID = "model_too_long"  // the conversation exceeds the context window
	ModelLoops     ID = "model_loops"     // name of a tool, how many times
	ModelSilent    ID = "model_silent"    // the model wrote nothing after its last calls
	ModelFiltered  ID = "model_filtered"  // a content filter ended the answer before its first word
	ModelCutShort  ID = "model_cut_short" // the limit of the answer ended it before its first word
	Crashed        ID = "crashed"         // worker processes crashed in it
	Broken         ID = "broken"          // our bug
	Gone           ID = "gone"            // the run was closed from outside
	QuestionGone   ID = "question_gone"   // the same, of a turn that only waited for an answer
	RunPaused      ID = "run_paused"      // an administrator paused the run in the Temporal UI
	DeliveryPaused ID = "delivery_paused" // the same of the delivery of answers
	JobPaused      ID = "job_paused"      // the same of a job; %s name
	Held           ID = "held"            // the run is blocked by a fault in workflow code
	Throttled      ID = "throttled"       // as many turns run as may
	SentUnknown    ID = "sent_unknown"    // an answer may or may not have reached its platform
	NoticeUnknown  ID = "notice_unknown"  // the same of a sentence of the product
	Delayed        ID = "delayed"         // before an answer that comes late; %s is when it was written
	AskClosed      ID = "ask_closed"      // an answer came to a question that is not open
	Retrying       ID = "retrying"        // %s reason, %d next attempt, %d of
	AnswerAsks     ID = "answer_asks"     // to a program that waits for an answer; %s name of a tool
	StillKilled    ID = "still_killed"    // %d commands of a stopped turn whose runner has not heard of the kill

	AgentFailed     ID = "agent_failed"      // %s agent, %s its message
	AgentLogIn      ID = "agent_log_in"      // %s agent, %s runner, %s command
	AgentLost       ID = "agent_lost"        // %s agent, %s how its process ended
	AgentEnded      ID = "agent_ended"       // the same, while it waited for an answer
	AgentEndedNote  ID = "agent_ended_note"  // the same, with its question; %s agent
	AgentThreadGone ID = "agent_thread_gone" // %s agent, %s thread
	AgentMissing    ID = "agent_missing"     // %s agent, %s runner
	AgentNowhere    ID = "agent_nowhere"     // %s agent, %s why
	AgentForbidden  ID = "agent_forbidden"   // %s agent
	AgentSilent     ID = "agent_silent"      // %s agent
	AgentAsks       ID = "agent_asks"        // %s agent, %s command or change
	AgentAllow      ID = "agent_allow"
	AgentAlways     ID = "agent_always"
	AgentRefuse     ID = "agent_refuse"

	ConsumerFailed      ID = "consumer_failed"  // these to consumers, without causes that concern only the operator of the service
	ConsumerBusy        ID = "consumer_busy"    // the model cannot be reached
	ConsumerRefused     ID = "consumer_refused" // the model did not take the request
	ConsumerTooLong     ID = "consumer_too_long"
	ConsumerSteps       ID = "consumer_steps"
	ConsumerDropped     ID = "consumer_dropped"
	ConsumerWaitsSlot   ID = "consumer_waits_slot"
	ConsumerWaitsModel  ID = "consumer_waits_model"
	ConsumerWaitsPerson ID = "consumer_waits_person"
)

var turns = map[ID]map[Lang]string{
	Stopped:        {English: "Stopped.", Chinese: "已停止。"},
	StoppedQueued:  {English: "Not started: the conversation was stopped before this message's turn.", Chinese: "未开始：轮到这条消息之前，对话已被停止。"},
	StopsTurn:      {English: "Stopping the turn.", Chinese: "正在停止本轮。"},
	StopsNothing:   {English: "Nothing was running.", Chinese: "当前没有正在运行的任务。"},
	StopsQueued:    {English: "Waiting messages that were cleared: %d.", Chinese: "已清除的等待消息：%d 条。"},
	Interrupted:    {English: "Interrupted by a newer message.", Chinese: "已被较新的消息中断。"},
	ShutOut:        {English: "Stopped: an administrator has disabled this account.", Chinese: "已停止：管理员已停用此账号。"},
	Superseded:     {English: "Not answered on its own: a newer message took its place. The model still sees it.", Chinese: "不再单独回答：较新的消息取代了它，模型仍会看到它。"},
	Recalled:       {English: "Taken back before it was answered.", Chinese: "已在回答之前撤回。"},
	DroppedNew:     {English: "Not accepted into the queue: %d messages wait already. Send it again when some have been answered.", Chinese: "未能排队：已有 %d 条消息在等待。请在部分消息得到回答后再发送。"},
	DroppedOld:     {English: "Dropped for a newer message: no more than %d messages may wait. Send it again if it still matters.", Chinese: "已为较新的消息让位：最多只能有 %d 条消息等待。如仍需要，请重新发送。"},
	Summarized:     {English: "Not answered on its own: no more than %d messages may wait. The model reads its beginning before the next message.", Chinese: "不再单独回答：最多只能有 %d 条消息等待。它的开头会在下一条消息之前告诉模型。"},
	SummarizedHead: {English: "Messages that found the queue full and get no answer of their own (%d), each cut to one line:", Chinese: ""},
	StepLimit:      {English: "I stopped after %d steps, which is the limit for one turn. Write \"continue\" to go on.", Chinese: "我在 %d 步后停下了，这是单轮的上限。发送「继续」即可接着做。"},
	ModelFailed:    {English: "The model could not answer after %d attempts (%s). Your message is kept: write `/continue` in a moment and it is answered.", Chinese: "模型在 %d 次尝试后仍无法回答(%s)。消息已保留，无需重发：稍后发送 `/continue`（或“继续”）即可得到回答。"},
	ProviderWaits:  {English: "The model provider cannot be reached (%s). This turn waits and goes on by itself when it is back, within %s at most; /stop ends it.", Chinese: "暂时无法连接模型服务(%s)。这一轮会等待，恢复后自动继续，最长 %s；发送 /stop 可结束。"},
	ModelRefused:   {English: "The model refused the request: %s", Chinese: "模型拒绝了请求：%s"},
	ModelNotCalled: {English: "No model was called: %s", Chinese: "没有调用任何模型：%s"},
	ModelRefusedPlain: {
		English: "The model did not accept this request, so there is no answer. Writing it in another way or without attachments may help; else ask an administrator, who is told the cause.",
		Chinese: "模型没有接受这次请求，因此没有回答。可以换一种写法或去掉附件再试；仍不行请联系管理员，原因已告知管理员。",
	},
	ModelNotCalledPlain: {
		English: "No model can answer here at the moment. Another one may be chosen with `/model`; else ask an administrator, who is told the cause.",
		Chinese: "目前没有模型可以在这里回答。可以用 `/model` 另选一个模型；否则请联系管理员，原因已告知管理员。",
	},
	ModelCause: {
		English: "People get no answer from the model %s: %s\n\nThey read only that it does not answer. You are told this once, and again after a day or when the cause has changed.",
		Chinese: "模型 %s 没有回答用户的请求：%s\n\n用户只看到模型没有回答。此通知只发一次，一天后或原因改变时才会再次发送。",
	},
	ModelCauseNotCalled: {
		English: "The model %s cannot be called, so people get no answer: %s\n\nThey read only that no model can answer. You are told this once, and again after a day or when the cause has changed.",
		Chinese: "无法调用模型 %s，用户得不到回答：%s\n\n用户只看到没有模型可以回答。此通知只发一次，一天后或原因改变时才会再次发送。",
	},
	ModelToolRefused: {
		English: "The model provider rejects the definition of the tool %s, so this conversation goes on without it while this model is used. Reason: %s",
		Chinese: "模型服务商拒绝了工具 %s 的定义，使用该模型期间，本对话不再提供它。原因：%s",
	},
	ModelToolRefusedPlain: {
		English: "The model provider rejects the definition of the tool %s, so this conversation goes on without it while this model is used.",
		Chinese: "模型服务商拒绝了工具 %s 的定义，使用该模型期间，本对话不再提供它。",
	},
	ModelToolCause: {
		English: "The provider of the model %s rejects the definition of the tool %s: %s\n\nConversations go on without this tool while they use the model. You are told this once, and again after a day.",
		Chinese: "模型 %s 的服务商拒绝了工具 %s 的定义：%s\n\n使用该模型的对话会在没有这个工具的情况下继续。此通知只发一次，一天后才会再次发送。",
	},
	ModelLoops:      {English: "Stopped: the model called %s %d times in a row and got the same result each time. Say what to try instead.", Chinese: "已停止：模型连续以同样的方式调用 %s %d 次，每次结果都相同。请说明接下来该怎么做。"},
	ModelSilent:     {English: "Done. The model added no text to the results of its tools.", Chinese: "已完成。模型在工具执行之后没有补充文字。"},
	ModelTooLong:    {English: "This conversation is longer than the model's context window. Start a new one to go on.", Chinese: "这个对话超出了模型的上下文长度。请新建一个对话继续。"},
	Crashed:         {English: "The server crashed twice while processing this message, so the message is not retried. The conversation is intact. Change the message, for example use smaller files. An administrator can find the cause with `xbot doctor`.", Chinese: "处理这条消息时服务器崩溃了两次，因此不再重试。对话完好。请换一种方式发送，例如减小文件；管理员可用 `xbot doctor` 查看原因。"},
	Broken:          {English: "Something in xbot itself went wrong, so this turn ended without an answer. The conversation is intact; the details are in the server's log.", Chinese: "xbot 自身出错，这一轮没有得到回答。对话完好，详情见服务器日志。"},
	Gone:            {English: "This turn was ended from outside before it could answer. What it had done so far is above; check it before you repeat anything, then send your message again.", Chinese: "这一轮在回答之前被外部终止。已完成的部分见上文；重复操作之前请先检查，然后重新发送消息。"},
	QuestionGone:    {English: "This turn waited for your answer and was lost: xbot was restored from a backup, or the turn was ended from outside. The question can no longer be answered, and what it was about did not start. Write \"continue\" to go on; you are asked again if needed.", Chinese: "这一轮当时在等待你的答复，但等待它的任务已不存在：xbot 从备份恢复，或这一轮被外部终止。该问题已无法再答复，所询问的操作也没有开始。发送「继续」即可接着做，需要时会再次询问。"},
	RunPaused:       {English: "An administrator has paused this turn; it goes on when they unpause it. /stop ends it.", Chinese: "管理员已暂停本次任务，恢复后会继续。发送 /stop 可以结束它。"},
	DeliveryPaused:  {English: "An administrator has paused the delivery of answers to this chat; answers arrive when they unpause it.", Chinese: "管理员已暂停向此会话发送回复，恢复后会补发期间的内容。"},
	JobPaused:       {English: "An administrator has paused the job %s in the Temporal UI; it runs again when they unpause it.", Chinese: "管理员已在 Temporal 界面暂停定时任务 %s，恢复后会继续运行。"},
	AnswerAsks:      {English: "The answer waits for a person: %s needs a decision, on the page of xbot or in the chat of the conversation.", Chinese: "回答正在等待人工决定：%s 需要有人在 xbot 页面或会话中作出选择。"},
	Held:            {English: "A fault in the server delays this answer. Nothing is lost: it goes on by itself once the server is repaired.", Chinese: "服务器故障，回答被搁置。没有丢失任何内容：服务器修复后会自动继续。"},
	Throttled:       {English: "Your message waits, because the server answers as many conversations as it may at once. It is answered as soon as there is room.", Chinese: "你的消息正在等待空闲名额：同时回答的对话数已达上限。轮到时会自动回答，无需重发。"},
	SentUnknown:     {English: "I do not know whether my last answer arrived: the connection broke while I sent it. Ask me to repeat it if it did not.", Chinese: "不确定上一条回答是否送达：发送时连接中断。如未收到，请让我重发。"},
	NoticeUnknown:   {English: "I do not know whether my last message arrived: the connection broke while I sent it. The page shows it.", Chinese: "不确定上一条消息是否送达：发送时连接中断。可在网页上查看。"},
	Delayed:         {English: "(delayed, written %s)", Chinese: "(延迟送达，写于 %s)"},
	AskClosed:       {English: "This question is no longer open.", Chinese: "该问题已不再等待答复。"},
	Retrying:        {English: "⚠️ LLM request failed (%s), retrying %d/%d ...", Chinese: "⚠️ 模型请求失败(%s)，正在重试 %d/%d ..."},
	AgentFailed:     {English: "%s could not finish its turn: %s", Chinese: "%s 未能完成这一轮：%s"},
	AgentLogIn:      {English: "Nobody is logged in to %s on the runner %s. Run `%s` on that machine, then write `/continue`.", Chinese: "运行器 %[2]s 上尚未登录 %[1]s。请在那台机器上运行 `%[3]s`，然后发送 `/continue`。"},
	AgentThreadGone: {English: "%s does not have the thread `%s` any more. Nothing was done. Your next message begins another thread, and this one is in it.", Chinese: "%s 已没有会话 `%s`，什么都没有执行。你的下一条消息会开始新的会话，并带上这一条。"},
	AgentLost:       {English: "%s ended in the middle of its turn (%s): the outcome is unknown, and what it did until then stands. It is not started again by itself. Write what to do next; it goes on with the same thread.", Chinese: "%s 在这一轮中途结束(%s)：结果未知，此前完成的操作仍然有效，也不会自动重新开始。请说明接下来做什么，它会接着同一会话继续。"},
	AgentEnded:      {English: "%s ended while it waited for your answer (%s). What it asked about was not done, and what it did before stands. It is not started again by itself. Write what to do next; it goes on with the same thread.", Chinese: "%s 在等待你的答复时结束(%s)。所询问的操作没有执行，此前完成的操作仍然有效，也不会自动重新开始。请说明接下来做什么，它会接着同一会话继续。"},
	AgentEndedNote:  {English: "%s ended while it waited for the answer.", Chinese: "%s 在等待答复时已结束。"},
	AgentMissing:    {English: "%s is not installed on the runner %s, or is not in the PATH of its daemon.", Chinese: "运行器 %[2]s 上没有安装 %[1]s，或它不在该守护进程的 PATH 中。"},
	AgentNowhere:    {English: "%s cannot be asked: %s", Chinese: "无法调用 %s：%s"},
	AgentForbidden:  {English: "%s runs commands by itself, and this conversation may not run any. Choose another model with /model.", Chinese: "%s 会自行运行命令，而这个对话不允许运行命令。请用 /model 选择其他模型。"},
	AgentSilent:     {English: "(%s ended its turn without a word.)", Chinese: "(%s 结束了这一轮，没有留下文字。)"},
	AgentAsks:       {English: "May %s do this? %s", Chinese: "允许 %s 执行吗？%s"},
	AgentAllow:      {English: "Allow", Chinese: "允许"},
	AgentAlways:     {English: "Allow, and do not ask again for such things", Chinese: "允许，同类操作不再询问"},
	AgentRefuse:     {English: "Refuse", Chinese: "拒绝"},
	ConsumerFailed:  {English: "Something went wrong, so there is no answer. Send the message again; if that does not help, tell whoever offers this service.", Chinese: "出了点问题，没有得到回答。请重新发送消息；如仍不行，请告知服务的提供者。"},
	ConsumerBusy:    {English: "No answer could be made just now. Send the message again in a moment.", Chinese: "暂时无法回答，请稍后重新发送消息。"},
	ConsumerRefused: {English: "This message could not be answered. Writing it in another way or without attachments may help; else tell whoever offers this service.", Chinese: "无法回答这条消息。可以换一种写法或去掉附件再试；仍不行请告知服务的提供者。"},
	ConsumerTooLong: {English: "This conversation has become too long. Begin a new one to go on.", Chinese: "这个对话太长了，请新建一个对话继续。"},
	ConsumerSteps:   {English: "The answer ended after as many steps as it may take. Write \"continue\" to go on.", Chinese: "回答已达到步数上限。发送「继续」即可接着做。"},
	ConsumerDropped: {English: "This message gets no answer of its own. Send it again if it still matters.", Chinese: "这条消息不会单独得到回答。如仍需要，请重新发送。"},

	ConsumerWaitsSlot:   {English: "The message waits for its turn, and is answered as soon as there is room.", Chinese: "消息正在排队，轮到时会自动回答。"},
	ConsumerWaitsModel:  {English: "The answer is delayed for a moment, and goes on by itself.", Chinese: "回答稍有延迟，会自动继续。"},
	ConsumerWaitsPerson: {English: "The answer waits for somebody to look at it.", Chinese: "回答正在等待人工处理。"},

	StillKilled: {English: "Commands that may still run: %d. They are killed as soon as their runner can be reached.", Chinese: "可能仍在运行的命令：%d 个。一旦能通知到其运行器，就会终止它们。"},
	ModelFiltered: {
		English: "The model gave no answer: a content filter of its provider ended it. Writing the message in another way or choosing another model with `/model` may help.",
		Chinese: "模型没有给出回答：服务商的内容过滤器中断了它。可以换一种写法，或用 `/model` 换一个模型再试。",
	},
	ModelCutShort: {
		English: "The model gave no answer: it reached its length limit before it wrote any text. Ask for less at once, or write `/continue`.",
		Chinese: "模型没有给出回答：还没写出文字就达到了长度上限。请一次少问一些，或发送 `/continue`。",
	},
}
