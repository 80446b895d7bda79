package i18n

// Texts about models.
const (
	HelpModel   ID = "help_model"
	HelpModels  ID = "help_models"
	HelpThink   ID = "help_think"
	HelpVerbose ID = "help_verbose"

	HelpLLM      ID = "help_llm"
	HelpSetLLM   ID = "help_set_llm"
	HelpUnsetLLM ID = "help_unset_llm"

	LLMIs         ID = "llm_is" // %s model
	LLMNone       ID = "llm_none"
	LLMHowTo      ID = "llm_how_to"
	LLMKey        ID = "llm_key"     // %s end of the key
	LLMUnknown    ID = "llm_unknown" // %s word
	LLMPrivately  ID = "llm_privately"
	LLMUsage      ID = "llm_usage"
	LLMNotOffered ID = "llm_not_offered" // %s why
	LLMSaved      ID = "llm_saved"       // %s the subscription
	LLMUnsetUsage ID = "llm_unset_usage"
	LLMRemoved    ID = "llm_removed" // %s name

	ModelUnknown     ID = "model_unknown"   // %s word, %s models there are
	NewAmbiguous     ID = "new_ambiguous"   // %s word, %s models it may mean
	ModelAmbiguous   ID = "model_ambiguous" // %s word, %s models it may mean
	ModelHere        ID = "model_here"
	ModelUnavailable ID = "model_unavailable"
	ModelMore        ID = "model_more" // %d others
	ModelHowTo       ID = "model_how_to"
	ModelIs          ID = "model_is"      // %s model, %s who decided
	ModelChosen      ID = "model_chosen"  // %s model
	ModelDefault     ID = "model_default" // the session follows scene and agent again

	ThinkIs      ID = "think_is" // %s level, %s who decided
	ThinkIsOwn   ID = "think_is_own"
	ThinkChosen  ID = "think_chosen" // %s level
	ThinkDefault ID = "think_default"
	ThinkUsage   ID = "think_usage"

	VerboseIs    ID = "verbose_is" // %s verbosity
	VerboseUsage ID = "verbose_usage"

	ChosenForMessage ID = "chosen_for_message"
	ChosenHere       ID = "chosen_here"
	ChosenForScene   ID = "chosen_for_scene"
	ChosenForAgent   ID = "chosen_for_agent"
	ChosenByRunner   ID = "chosen_by_runner"
	ChosenByPerson   ID = "chosen_by_person"
	ChosenByPolicy   ID = "chosen_by_policy"
	ChosenByNobody   ID = "chosen_by_nobody"
)

var models = map[ID]map[Lang]string{
	HelpModel:   {English: "shows or chooses the model of this conversation; default: the agent's", Chinese: "查看或选择从下一条消息起回答的模型；default：按智能体的设置"},
	HelpModels:  {English: "lists the models", Chinese: "列出可用的模型"},
	HelpThink:   {English: "sets how much the model thinks in this conversation; before a message: for that message only", Chinese: "设置模型在本对话中的思考程度；写在消息前则只对该消息有效"},
	HelpVerbose: {English: "sets how much of the work a channel shows", Chinese: "设置渠道显示多少工作过程"},

	HelpLLM:      {English: "shows or chooses the model of all your conversations, and shows your subscriptions", Chinese: "查看或选择您所有对话的模型，并列出您的订阅"},
	HelpSetLLM:   {English: "adds or changes a subscription of yours at a provider of models; the key is not kept in the conversation", Chinese: "添加或修改您自己的模型服务订阅；密钥不会保留在对话中"},
	HelpUnsetLLM: {English: "removes a subscription of yours, with its key", Chinese: "删除您的订阅及其密钥"},

	LLMIs:         {English: "`%s` answers you where a conversation or a runner does not say otherwise.", Chinese: "若对话或运行器未另行指定，由 `%s` 回答您。"},
	LLMNone:       {English: "You have no subscriptions of your own.", Chinese: "您没有自己的订阅。"},
	LLMHowTo:      {English: "`/llm NAME` chooses a model for all your conversations, `/llm default` goes back to the installation's. `/set-llm` adds a subscription, `/unset-llm` removes one.", Chinese: "用 `/llm 名称` 为所有对话选择模型，`/llm default` 恢复系统默认。`/set-llm` 添加订阅，`/unset-llm` 删除订阅。"},
	LLMKey:        {English: "key %s", Chinese: "密钥 %s"},
	LLMUnknown:    {English: "There is no model %q. `/models` lists them.", Chinese: "没有模型 %q。用 `/models` 查看列表。"},
	LLMPrivately:  {English: "Others read along here. Write this command in a private chat, and have the provider revoke the key if you have just written one.", Chinese: "这里还有其他人。请在私聊中使用此命令；如果刚才写了密钥，请到服务商处作废它。"},
	LLMUsage:      {English: "Use `/set-llm NAME provider=openai base_url=https://host/v1 api_key=KEY models=ID,ID`. All but the name may be left out where it stays as it is; providers are `openai` (also for compatible services) and `anthropic`, `api_type` is `chat_completions` or `responses`.", Chinese: "用法：`/set-llm 名称 provider=openai base_url=https://host/v1 api_key=密钥 models=ID,ID`。除名称外，不变的部分可省略；provider 为 `openai`(也用于兼容服务)或 `anthropic`，`api_type` 为 `chat_completions` 或 `responses`。"},
	LLMNotOffered: {English: "Nothing was saved: the provider did not say which models it offers (%s). Check the address and the key, or name models with `models=ID,ID`.", Chinese: "未保存：服务商没有返回可用模型(%s)。请检查地址和密钥，或用 `models=ID,ID` 指定模型。"},
	LLMSaved:      {English: "Saved: %s. Delete your message with the key, if the platform lets you.", Chinese: "已保存：%s。如果平台允许，请删除含有密钥的消息。"},
	LLMUnsetUsage: {English: "Use `/unset-llm NAME`; `/llm` lists your subscriptions.", Chinese: "用法：`/unset-llm 名称`；`/llm` 列出您的订阅。"},
	LLMRemoved:    {English: "The subscription %q is gone, and its key.", Chinese: "订阅 %q 及其密钥已删除。"},

	ModelUnknown:     {English: "There is no model %q. There are %s.", Chinese: "没有模型 %q。可用的有 %s。"},
	NewAmbiguous:     {English: "The conversation did not begin anew: %q may mean %s. Write more of the model's name, or use `/reset` if you mean no model.", Chinese: "尚未重新开始：%q 可能指 %s。请把模型名称写得更完整；若它不是模型名称，请改用 `/reset` 开头。"},
	ModelAmbiguous:   {English: "%q may mean %s. Write more of the name.", Chinese: "%q 可能指 %s。请写得更完整。"},
	ModelHere:        {English: "answers here", Chinese: "正在此处回答"},
	ModelUnavailable: {English: "cannot be called, its key is missing", Chinese: "无法调用，缺少密钥"},
	ModelMore:        {English: "… and %d more, which the page lists", Chinese: "……另有 %d 个，请在网页查看"},
	ModelHowTo:       {English: "`/model NAME` chooses one for this conversation, `/model default` goes back.", Chinese: "用 `/model 名称` 为本对话选择模型，`/model default` 恢复默认。"},
	ModelIs:          {English: "`%s` answers here (%s).", Chinese: "此处由 `%s` 回答(%s)。"},
	ModelChosen:      {English: "`%s` answers here from now on.", Chinese: "从现在起由 `%s` 回答。"},
	ModelDefault:     {English: "This conversation uses its usual model again.", Chinese: "本对话恢复由默认模型回答。"},

	ThinkIs:      {English: "Thinking: %s (%s).", Chinese: "思考程度：%s(%s)。"},
	ThinkIsOwn:   {English: "The model decides how much it thinks.", Chinese: "思考程度由模型自行决定。"},
	ThinkChosen:  {English: "Thinking from the next answer on: %s.", Chinese: "从下一次回答起，思考程度为：%s。"},
	ThinkDefault: {English: "Thinking is as usual again.", Chinese: "思考程度已恢复默认。"},
	ThinkUsage:   {English: "Use `/think off`, `minimal`, `low`, `medium`, `high`, `xhigh` or `default`.", Chinese: "用法：`/think off`、`minimal`、`low`、`medium`、`high`、`xhigh` 或 `default`。"},

	VerboseIs:    {English: "How much of the work is shown: %s.", Chinese: "显示的工作过程：%s。"},
	VerboseUsage: {English: "Use `/verbose off`, `on` or `full`.", Chinese: "用法：`/verbose off`、`on` 或 `full`。"},

	ChosenForMessage: {English: "as this message says", Chinese: "由这条消息指定"},
	ChosenHere:       {English: "chosen for this conversation", Chinese: "为本对话选择"},
	ChosenForScene:   {English: "as the scene says", Chinese: "由场景设置"},
	ChosenForAgent:   {English: "as the agent says", Chinese: "由智能体设置"},
	ChosenByRunner:   {English: "the runner offers it", Chinese: "由运行器提供"},
	ChosenByPerson:   {English: "chosen for all your conversations", Chinese: "为您的所有对话选择"},
	ChosenByPolicy:   {English: "the installation's", Chinese: "由系统设置"},
	ChosenByNobody:   {English: "the usual one", Chinese: "默认"},
}

// Texts about used tokens.
const (
	UsageNone  ID = "usage_none"
	UsageHead  ID = "usage_head" // heads of a table's columns
	UsageToday ID = "usage_today"
	UsageWeek  ID = "usage_week"
	UsageHere  ID = "usage_here"
	UsageMedia ID = "usage_media" // heads of a table's columns

	UsageImage         ID = "usage_image"
	UsageSpeech        ID = "usage_speech"
	UsageVideo         ID = "usage_video"
	UsageTranscription ID = "usage_transcription"
	UsageRealtime      ID = "usage_realtime"
)

var usage = map[ID]map[Lang]string{
	UsageNone:  {English: "Nothing was used in the last 7 days.", Chinese: "最近 7 天没有用量。"},
	UsageHead:  {English: "model | calls | read | from cache | written", Chinese: "模型 | 调用 | 读入 | 其中缓存 | 写出"},
	UsageToday: {English: "today (UTC)", Chinese: "今天(UTC)"},
	UsageWeek:  {English: "last 7 days", Chinese: "最近 7 天"},
	UsageHere:  {English: "this conversation", Chinese: "本对话"},
	UsageMedia: {English: "model | calls | amount", Chinese: "模型 | 调用 | 数量"},

	UsageImage:         {English: "%d pictures", Chinese: "%d 张图片"},
	UsageSpeech:        {English: "%d characters of speech", Chinese: "%d 个语音字符"},
	UsageVideo:         {English: "%d seconds of video", Chinese: "%d 秒视频"},
	UsageTranscription: {English: "%d seconds of transcription", Chinese: "%d 秒转写"},
	UsageRealtime:      {English: "%d seconds of realtime voice", Chinese: "%d 秒实时语音"},
}

// Text that a test of a channel sends to a platform.
const (
	TrialMessage ID = "trial_message"
)

var trial = map[ID]map[Lang]string{
	TrialMessage: {English: "This is a test of xbot: its messages arrive here.", Chinese: "xbot 测试消息：它发送的内容会到达这里。"},
}
