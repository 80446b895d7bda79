package i18n

// Notices about the compression of a context.
const (
	Compacted        ID = "compacted"          // %s tokens before, %s after
	CompactedByRule  ID = "compacted_by_rule"  // %s tokens before, %s after; no model wrote a usable summary
	NothingToCompact ID = "nothing_to_compact" // the answer of /compact in a short conversation
	NotCompacted     ID = "not_compacted"      // the answer of /compact without a model; %s reason
)

var contextNotices = map[ID]map[Lang]string{
	Compacted:        {English: "Context compacted: %s → %s tokens.", Chinese: "上下文已压缩：%s → %s token。"},
	CompactedByRule:  {English: "Context compacted: %s → %s tokens. The model wrote no usable summary, so one was made by rule; the model may no longer see some details.", Chinese: "上下文已压缩：%s → %s token。模型未能写出可用的摘要，改为按规则提取，模型看到的内容可能缺少细节。"},
	NothingToCompact: {English: "There is nothing to compress yet.", Chinese: "目前没有可压缩的内容。"},
	NotCompacted:     {English: "The context was not compressed, because the model did not answer (%s). Nothing has changed; try /compact again in a moment.", Chinese: "上下文未压缩，因为模型没有回答(%s)。一切保持原样，请稍后再试 /compact。"},
}

// Texts about the context of a conversation.
const (
	ContextFill      ID = "context_fill"      // %s tokens used, %s tokens in all, %d percent, %s source, %s model
	ContextProvider  ID = "context_provider"  // a source
	ContextEstimate  ID = "context_estimate"  // a source
	ContextModeIs    ID = "context_mode_is"   // %s mode, %s and %s tokens
	ContextModeNone  ID = "context_mode_none" // nothing happens automatically
	ContextModeSet   ID = "context_mode_set"  // %s mode
	ContextUsage     ID = "context_usage"
	ContextWhat      ID = "context_what" // heads of a table's columns
	ContextSystem    ID = "context_system"
	ContextTools     ID = "context_tools"     // %d tools
	ContextUser      ID = "context_user"      // %d messages
	ContextAssistant ID = "context_assistant" // %d messages
	ContextResults   ID = "context_results"   // %d results
	ContextLayers    ID = "context_layers"    // %d offloads, %d masks, %d stale files, %d edits
	ContextCompacted ID = "context_compacted" // %d compactions, %s and %s tokens of the newest
	ContextNothing   ID = "context_nothing"   // no request was sent
	ContextSent      ID = "context_sent"      // %d step, %s turn, %s bytes
	ContextCounts    ID = "context_counts"    // %s tokens expected, %s tokens counted
	ContextExact     ID = "context_exact"     // %s hash
	ContextInexact   ID = "context_inexact"   // %s hash
	ContextPruned    ID = "context_pruned"
	ContextReminder  ID = "context_reminder" // what follows is the reminder
	ContextLargest   ID = "context_largest"  // heads of a table's columns
	ContextWhole     ID = "context_whole"    // %s path of the API
)

var context = map[ID]map[Lang]string{
	ContextFill:      {English: "**%s of %s tokens (%d %%)**, %s · %s", Chinese: "**%s / %s token(%d %%)**,%s · %s"},
	ContextProvider:  {English: "as the provider counted", Chinese: "由模型服务商统计"},
	ContextEstimate:  {English: "estimated", Chinese: "估算"},
	ContextModeIs:    {English: "Mode %s: old results of tools are masked from %s tokens on, the beginning is summarized from %s on.", Chinese: "模式 %s：从 %s token 起隐藏旧的工具结果，从 %s token 起总结对话的开头。"},
	ContextModeNone:  {English: "Mode none: nothing is masked or summarized automatically; `/compact` does it when you ask.", Chinese: "模式 none：不会自动隐藏或总结；需要时请用 `/compact`。"},
	ContextModeSet:   {English: "The context mode of this conversation is **%s** from its next step on.", Chinese: "从下一步起，本对话的上下文模式为 **%s**。"},
	ContextUsage:     {English: "Write `/context`, `/context list`, `/context detail`, `/context mode default` or `/context mode none`.", Chinese: "用法：`/context`、`/context list`、`/context detail`、`/context mode default` 或 `/context mode none`。"},
	ContextWhat:      {English: "what the model sees | size | tokens", Chinese: "模型看到的内容 | 大小 | token"},
	ContextSystem:    {English: "system prompt", Chinese: "系统提示"},
	ContextTools:     {English: "tools: %d", Chinese: "工具：%d 个"},
	ContextUser:      {English: "messages of people: %d", Chinese: "用户消息：%d 条"},
	ContextAssistant: {English: "messages of the model: %d", Chinese: "模型消息：%d 条"},
	ContextResults:   {English: "results of tools: %d", Chinese: "工具结果：%d 个"},
	ContextLayers:    {English: "Results shown as summaries: %d, masked: %d; files changed since they were read: %d; edits by the model: %d.", Chinese: "%d 个结果以摘要显示，%d 个已隐藏，%d 个文件在读取后有变化，模型做了 %d 处编辑。"},
	ContextCompacted: {English: "Compactions: %d, the newest from %s to %s tokens.", Chinese: "已压缩 %d 次，最近一次从 %s 到 %s token。"},
	ContextNothing:   {English: "The model has not been called in this conversation yet; `/prompt` shows what its first request would begin with.", Chinese: "这个对话还没有向模型发送过请求；`/prompt` 会显示模型最先读到的内容。"},
	ContextSent:      {English: "The last request: step %d of turn `%s`, %s.", Chinese: "最近一次请求：第 %d 步，回合 `%s`，%s。"},
	ContextCounts:    {English: "Expected %s tokens; the provider counted %s.", Chinese: "预计 %s token，服务商统计为 %s。"},
	ContextExact:     {English: "Rebuilt from what is stored, it is the same byte for byte (`%s`).", Chinese: "由存储的记录重建，与当时发送的逐字节一致(`%s`)。"},
	ContextInexact:   {English: "Rebuilt from what is stored, it differs from what was sent (`%s`): another version of xbot sent it, or the conversation that this one was copied from.", Chinese: "由存储的记录重建，与当时发送的内容(`%s`)不同：当时由另一版本的 xbot 或本对话的原对话发送。"},
	ContextPruned:    {English: "Old results were shortened, for that request only.", Chinese: "其中旧的结果被截短，仅限该次请求。"},
	ContextReminder:  {English: "At its end, for that request only:", Chinese: "末尾附有以下提醒，仅限该次请求："},
	ContextLargest:   {English: "largest | size | tokens", Chinese: "最大的部分 | 大小 | token"},
	ContextWhole:     {English: "The whole request: context panel of the page, “Model request”, or `GET %s`.", Chinese: "完整内容：页面的上下文面板中的“模型请求”，或 `GET %s`。"},
}

// Texts about the prompt of a conversation, and about the language of its answers.
const (
	HelpPrompt    ID = "help_prompt"
	HelpLanguage  ID = "help_language"
	PromptSize    ID = "prompt_size"  // %d tokens
	PromptTools   ID = "prompt_tools" // %d of them
	PromptHeld    ID = "prompt_held"
	PromptHeads   ID = "prompt_heads" // of a table's columns
	LanguageIs    ID = "language_is"  // %s name
	LanguageAuto  ID = "language_auto"
	LanguageUsage ID = "language_usage"
)

var prompts = map[ID]map[Lang]string{
	HelpPrompt:    {English: "shows the system prompt that the model would get now, part by part, without calling the model", Chinese: "逐项显示模型在本对话之前会读到的内容，不会调用模型"},
	HelpLanguage:  {English: "chooses the language of answers to you, in all conversations; auto: the one you write in", Chinese: "选择回答你时使用的语言，对所有对话有效；auto：使用你所写的语言"},
	PromptSize:    {English: "The next turn begins with about %d tokens before the conversation.", Chinese: "下一回合在对话之前约有 %d 个 token。"},
	PromptTools:   {English: "tools: %d", Chinese: "工具：%d 个"},
	PromptHeld:    {English: "as it was when the conversation began or was last compressed", Chinese: "保持对话开始时或上次压缩时的内容"},
	PromptHeads:   {English: "part | size | tokens", Chinese: "部分 | 大小 | token"},
	LanguageIs:    {English: "Answers to you are in %s, from the next turn on.", Chinese: "将用%s回答你，从下一回合起生效。"},
	LanguageAuto:  {English: "Answers to you are in the language that you write in.", Chinese: "将用你所写的语言回答你。"},
	LanguageUsage: {English: "Write `/language zh`, `/language en`, `/language` and the name of another language, or `/language auto`.", Chinese: "用法：`/language zh`、`/language en`、`/language 语言名称` 或 `/language auto`。"},
}
