package i18n

// What people are told about what stands before their conversation, and about the language they are answered in.
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
	HelpPrompt:    {English: "shows what the model would be told before this conversation, part by part, without asking it", Chinese: "逐项显示模型在本对话之前会读到的内容，不会调用模型"},
	HelpLanguage:  {English: "chooses the language you are answered in, in all conversations; auto: the one you write", Chinese: "选择回答你时使用的语言，对所有对话有效；auto：使用你所写的语言"},
	PromptSize:    {English: "The next turn begins with about %d tokens before the conversation.", Chinese: "下一回合在对话之前约有 %d 个 token。"},
	PromptTools:   {English: "tools: %d", Chinese: "工具：%d 个"},
	PromptHeld:    {English: "as it was when the conversation began or was last compressed", Chinese: "保持对话开始时或上次压缩时的内容"},
	PromptHeads:   {English: "part | size | tokens", Chinese: "部分 | 大小 | token"},
	LanguageIs:    {English: "You are answered in %s. It holds from the next turn on.", Chinese: "将用%s回答你，从下一回合起生效。"},
	LanguageAuto:  {English: "You are answered in the language you write.", Chinese: "将用你所写的语言回答你。"},
	LanguageUsage: {English: "Write `/language zh`, `/language en`, `/language` and the name of another one, or `/language auto`.", Chinese: "用法：`/language zh`、`/language en`、`/language 语言名称` 或 `/language auto`。"},
}
