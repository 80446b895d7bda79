package i18n

// Texts about the preferences of users.
const (
	PreferenceLanguage     ID = "preference_language"
	PreferenceZone         ID = "preference_zone"
	PreferenceModel        ID = "preference_model"
	PreferenceVanguard     ID = "preference_vanguard"
	PreferenceBalance      ID = "preference_balance"
	PreferenceSwift        ID = "preference_swift"
	PreferenceThink        ID = "preference_think"
	PreferenceThinkOwn     ID = "preference_think_own"
	PreferenceNotes        ID = "preference_notes"
	PreferenceNotesOpen    ID = "preference_notes_open"
	PreferenceNotesLocked  ID = "preference_notes_locked"
	PreferenceContext      ID = "preference_context"
	PreferenceContextAuto  ID = "preference_context_auto"
	PreferenceContextNone  ID = "preference_context_none"
	PreferencePreset       ID = "preference_preset"
	PreferenceMemory       ID = "preference_memory"
	PreferenceSoul         ID = "preference_soul"
	PreferenceTitles       ID = "preference_titles"
	PreferenceTheme        ID = "preference_theme"
	PreferenceNotices      ID = "preference_notices" // where notices about long turns go
	PreferenceNowhere      ID = "preference_nowhere" // no chat
	PreferenceLimits       ID = "preference_limits"  // %s address of the page of limits
	PreferencePageLanguage ID = "preference_page_language"
	PreferenceDefault      ID = "preference_default" // of the installation
	PreferenceAsWritten    ID = "preference_as_written"
	PreferenceDevice       ID = "preference_device"
	PreferenceSystem       ID = "preference_system" // light or dark, by the hour or as the system is
	PreferenceOn           ID = "preference_on"
	PreferenceOff          ID = "preference_off"
	PreferenceReadOnly     ID = "preference_read_only"
	PreferenceAsk          ID = "preference_ask"
	PreferenceAuto         ID = "preference_auto"
	PreferenceLight        ID = "preference_light"
	PreferenceDark         ID = "preference_dark"
	PreferenceIs           ID = "preference_is"        // %s setting, %s value
	PreferenceUnknown      ID = "preference_unknown"   // %s is no setting, %s are
	PreferenceNotOne       ID = "preference_not_one"   // %s setting, %s value, %s what it may be
	PreferenceNoModel      ID = "preference_no_model"  // %s means none, or several
	PreferenceNoTongue     ID = "preference_no_tongue" // %s is no language
	PreferenceTooLate      ID = "preference_too_late"  // changed concurrently
	PreferenceTitle        ID = "preference_title"     // of the list
	PreferenceNotHere      ID = "preference_not_here"  // others read along
	PreferenceHow          ID = "preference_how"       // how to change one
	PreferenceSave         ID = "preference_save"
	PreferenceSame         ID = "preference_same"  // nothing was chosen
	PreferenceStale        ID = "preference_stale" // the card shows what was before
	PreferenceNotYours     ID = "preference_not_yours"
	PreferenceBelow        ID = "preference_below" // a card follows
	HelpSettings           ID = "help_settings"
)

var preferences = map[ID]map[Lang]string{
	PreferenceLanguage:     {English: "Language of answers", Chinese: "回答语言"},
	PreferenceZone:         {English: "Time zone", Chinese: "时区"},
	PreferenceModel:        {English: "Model", Chinese: "模型"},
	PreferenceVanguard:     {English: "Model for hard work (vanguard)", Chinese: "高难任务模型(vanguard)"},
	PreferenceBalance:      {English: "Model for usual work (balance)", Chinese: "常规任务模型(balance)"},
	PreferenceSwift:        {English: "Model for quick work (swift)", Chinese: "快速任务模型(swift)"},
	PreferenceThink:        {English: "How much models think", Chinese: "思考程度"},
	PreferenceThinkOwn:     {English: "as they do by themselves", Chinese: "由模型决定"},
	PreferenceNotes:        {English: "What agents remember of me", Chinese: "助手对我的记忆"},
	PreferenceNotesOpen:    {English: "they read and write it", Chinese: "可读可写"},
	PreferenceNotesLocked:  {English: "they only read it", Chinese: "只读"},
	PreferenceContext:      {English: "Old parts of long conversations", Chinese: "长对话中较早的内容"},
	PreferenceContextAuto:  {English: "summarized automatically", Chinese: "自动总结"},
	PreferenceContextNone:  {English: "summarized when I ask", Chinese: "仅在我要求时总结"},
	PreferencePreset:       {English: "What tools may do", Chinese: "工具权限"},
	PreferenceMemory:       {English: "Memory of conversations", Chinese: "对话记忆"},
	PreferenceSoul:         {English: "Soul files", Chinese: "灵魂文件"},
	PreferenceTitles:       {English: "Titles of conversations by a model", Chinese: "由模型生成对话标题"},
	PreferenceTheme:        {English: "Theme of the page", Chinese: "页面主题"},
	PreferencePageLanguage: {English: "Language of the page", Chinese: "页面语言"},
	PreferenceDefault:      {English: "as the installation has it", Chinese: "跟随系统设置"},
	PreferenceAsWritten:    {English: "the one that you write in", Chinese: "与你所写的语言相同"},
	PreferenceNotices:      {English: "Notices of long turns", Chinese: "长任务通知"},
	PreferenceNowhere:      {English: "nowhere", Chinese: "不通知"},
	PreferenceLimits:       {English: "[Limits of the installation](%s)", Chinese: "[系统限额](%s)"},
	PreferenceDevice:       {English: "as each device chose", Chinese: "由各设备决定"},
	PreferenceSystem:       {English: "as its system", Chinese: "跟随系统"},
	PreferenceOn:           {English: "as the installation has it", Chinese: "跟随系统设置"},
	PreferenceOff:          {English: "off", Chinese: "关闭"},
	PreferenceReadOnly:     {English: "read only", Chinese: "只读"},
	PreferenceAsk:          {English: "ask before changes", Chinese: "改动前询问"},
	PreferenceAuto:         {English: "act without asking", Chinese: "自动执行"},
	PreferenceLight:        {English: "light", Chinese: "浅色"},
	PreferenceDark:         {English: "dark", Chinese: "深色"},
	PreferenceIs:           {English: "%s: %s.", Chinese: "%s：%s。"},
	PreferenceUnknown:      {English: "There is no setting “%s”. There are: %s.", Chinese: "没有名为“%s”的设置。可用的设置：%s。"},
	PreferenceNotOne:       {English: "%s cannot be “%s”. It can be: %s.", Chinese: "%s不能设为“%s”。可选：%s。"},
	PreferenceNoModel:      {English: "“%s” means no model, or several. `/models` lists them.", Chinese: "“%s”不对应任何模型，或对应多个模型。可用 `/models` 查看列表。"},
	PreferenceNoTongue:     {English: "“%s” is no language. Write `zh`, `en`, or the name of another language.", Chinese: "“%s”不是语言。请写 `zh`、`en` 或其他语言的名称。"},
	PreferenceTooLate:      {English: "Your settings were changed elsewhere meanwhile. Look at them again.", Chinese: "你的设置刚在别处被修改，请重新查看。"},
	PreferenceTitle:        {English: "Your settings", Chinese: "你的设置"},
	PreferenceNotHere:      {English: "Other people read this conversation. Write `/settings` in a conversation of your own.", Chinese: "其他人能看到这个对话。请在你自己的对话中使用 `/settings`。"},
	PreferenceHow:          {English: "Change one with `/settings NAME VALUE`, for example `/settings language zh`; `default` takes it back.", Chinese: "用 `/settings 名称 值` 修改，例如 `/settings language zh`；`default` 恢复默认。"},
	PreferenceSave:         {English: "Save", Chinese: "保存"},
	PreferenceSame:         {English: "Nothing was changed.", Chinese: "没有改动。"},
	PreferenceStale:        {English: "The settings have changed since the card was made. Choose again: the card shows them as they are now.", Chinese: "卡片生成之后设置已有改动。卡片现在显示最新设置，请重新选择。"},
	PreferenceNotYours:     {English: "These are the settings of somebody else. Write /settings to me for yours.", Chinese: "这是其他人的设置。请给我发送 /settings 查看你自己的设置。"},
	PreferenceBelow:        {English: "Choose on the card.", Chinese: "请在卡片上选择。"},
	HelpSettings:           {English: "shows your settings, and changes one", Chinese: "查看或修改你的设置"},
}

// Texts about tool permissions.
const (
	HelpPermissions  ID = "help_permissions"
	PermissionsUsage ID = "permissions_usage"
	PermissionsRules ID = "permissions_rules" // above the rules of the user
	PresetHere       ID = "preset_here"       // %s preset, %s what it means
	PresetFollows    ID = "preset_follows"    // %s preset, %s what it means
	PresetReadOnly   ID = "preset_read_only"  // what it means
	PresetAsk        ID = "preset_ask"
	PresetAuto       ID = "preset_auto"
)

var permissions = map[ID]map[Lang]string{
	HelpPermissions:  {English: "shows or chooses what tools may do in this conversation; default: as in all of yours", Chinese: "查看或设置工具在本对话中可以做什么；default：与您的所有对话相同"},
	PermissionsUsage: {English: "Write `/permissions`, or `/permissions` and one of `read_only`, `ask`, `auto` and `default`.", Chinese: "用法：`/permissions`，或在其后写 `read_only`、`ask`、`auto` 或 `default`。"},
	PermissionsRules: {English: "These rules come first:", Chinese: "以下规则优先："},
	PresetHere:       {English: "In this conversation: **%s**. %s", Chinese: "本对话：**%s**。%s"},
	PresetFollows:    {English: "As in all conversations: **%s**. %s", Chinese: "与所有对话相同：**%s**。%s"},
	PresetReadOnly:   {English: "Tools read and search. They change nothing and run no command, whatever the rules say.", Chinese: "工具只读取和搜索。无论规则如何，都不做更改，也不运行命令。"},
	PresetAsk:        {English: "You are asked before a command runs, and before anything is changed or sent.", Chinese: "运行命令、更改或发送任何内容之前都会先询问您。"},
	PresetAuto:       {English: "Tools run without a question, within the sandbox.", Chinese: "工具在沙箱内直接运行，不询问。"},
}
