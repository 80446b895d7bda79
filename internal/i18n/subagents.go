package i18n

// Texts about subagents.
const (
	SubagentsSpent ID = "subagents_spent"
	SubagentAsks   ID = "subagent_asks"   // %s name, %s tool, %s what it is about
	SubagentsNone  ID = "subagents_none"  // there are none
	SubagentsHead  ID = "subagents_head"  // of a list
	StopsSubagents ID = "stops_subagents" // added to the answer to a stop; %d subagents
	SubagentStops  ID = "subagent_stops"  // %s name
	SubagentRests  ID = "subagent_rests"  // %s name: it was not running
	SubagentOver   ID = "subagent_over"   // it has answered, and answers once
	SubagentNone   ID = "subagent_none"   // %s: there is none of that name
	HelpSubagents  ID = "help_subagents"
	HelpAgents     ID = "help_agents"
	AgentsHead     ID = "agents_head"   // of a list of roles
	AgentsBroken   ID = "agents_broken" // %s file, %s why
	AgentsOf       ID = "agents_of"     // %s: where a role was read
	AgentsOwn      ID = "agents_own"
)

var subagents = map[ID]map[Lang]string{
	SubagentsSpent: {English: "This subagent was ended: the subagents of this request have used up their tokens.", Chinese: "该子代理已结束：本次请求的子代理已用完允许的 token。"},
	SubagentAsks:   {English: "Subagent %s asks whether it may run %s: %s\nAnswer with `/approve` or `/deny`, or open it under Subagents.", Chinese: "子代理 %s 请求许可运行 %s:%s\n请用 `/approve` 或 `/deny` 回答，或在“子代理”中打开它。"},
	SubagentsNone:  {English: "No subagent works for this conversation.", Chinese: "本对话没有子代理在工作。"},
	SubagentsHead:  {English: "subagent | state | now | steps | tokens", Chinese: "子代理 | 状态 | 正在 | 步数 | token"},
	StopsSubagents: {English: "Subagents that are stopped: %d.", Chinese: "已停止的子代理：%d 个。"},
	SubagentStops:  {English: "Subagent %s is being stopped.", Chinese: "正在停止子代理 %s。"},
	SubagentRests:  {English: "Subagent %s was not running.", Chinese: "子代理 %s 没有在运行。"},
	SubagentOver:   {English: "This subagent answers once, and has answered: you can read its conversation, but not write to it. Ask in the conversation that it worked for.", Chinese: "该子代理只回答一次，现已回答：其对话只能阅读，不能再写。请到它所服务的对话中提问。"},
	SubagentNone:   {English: "There is no subagent %s here: `/subagents` lists them.", Chinese: "这里没有子代理 %s:`/subagents` 会列出它们。"},
	HelpSubagents:  {English: "lists the subagents of this conversation; stop NAME stops one, stop alone all that run", Chinese: "列出本对话的子代理；stop 名称 停止其中一个，只写 stop 停止所有正在运行的"},
	HelpAgents:     {English: "lists the roles of subagents that can be used here", Chinese: "列出这里可以交办工作的角色"},
	AgentsHead:     {English: "role | for | from", Chinese: "角色 | 用途 | 来源"},
	AgentsBroken:   {English: "%s is not a valid role: %s", Chinese: "%s 不是角色：%s"},
	AgentsOf:       {English: "the program", Chinese: "程序自带"},
	AgentsOwn:      {English: "you (Settings → Agents and roles)", Chinese: "你自己（设置 → 智能体与角色）"},
}

// Texts about chats among subagents.
const (
	HelpGroups  ID = "help_groups"
	GroupsUsage ID = "groups_usage"
	GroupsNone  ID = "groups_none"   // there are none
	GroupsHead  ID = "groups_head"   // of a list
	GroupNone   ID = "group_none"    // %s: there is none of that id
	GroupEnds   ID = "group_ends"    // %s id
	GroupIsOver ID = "group_is_over" // %s id
	GroupShown  ID = "group_shown"   // %s id, %s state, %s members, %s topic
	GroupQuiet  ID = "group_quiet"   // no member wrote anything
	GroupPassed ID = "group_passed"  // a member had nothing to add
	GroupMute   ID = "group_mute"    // a member could not answer
	GroupMaker  ID = "group_maker"   // who made it
	StopsGroups ID = "stops_groups"  // added to the answer to a stop; %d chats

	GroupOpen   ID = "group_state_"       // it continues
	GroupRounds ID = "group_state_rounds" // why it is over
	GroupAgreed ID = "group_state_agreed" // no member had more to add
	GroupClosed ID = "group_state_closed" // it was ended
	GroupBudget ID = "group_state_budget" // no tokens left
	GroupFailed ID = "group_state_failed" // no member could answer
	GroupGone   ID = "group_state_gone"   // a member was deleted
)

var groups = map[ID]map[Lang]string{
	HelpGroups:  {English: "lists the group chats of this conversation; show ID shows the lines of one, end ID ends one, end alone all", Chinese: "列出本对话中代理之间的群聊；show ID 查看内容，end ID 结束其中一个，只写 end 结束全部"},
	GroupsUsage: {English: "Write `/groups`, `/groups show ID` or `/groups end [ID]`.", Chinese: "用法：`/groups`、`/groups show ID` 或 `/groups end [ID]`。"},
	GroupsNone:  {English: "There are no group chats here.", Chinese: "这里没有代理之间的群聊。"},
	GroupsHead:  {English: "chat | state | lines | members | topic", Chinese: "群聊 | 状态 | 发言数 | 成员 | 主题"},
	GroupNone:   {English: "There is no group chat %s here: `/groups` lists them.", Chinese: "这里没有群聊 %s:`/groups` 会列出它们。"},
	GroupEnds:   {English: "Group chat %s is ended. The member that speaks may finish.", Chinese: "群聊 %s 已结束，正在发言的成员可以说完。"},
	GroupIsOver: {English: "Group chat %s was over already.", Chinese: "群聊 %s 此前已经结束。"},
	GroupShown:  {English: "Group chat %s · %s · %s\n%s", Chinese: "群聊 %s · %s · %s\n%s"},
	GroupQuiet:  {English: "Nothing has been said yet.", Chinese: "还没有人发言。"},
	GroupPassed: {English: "(nothing to add)", Chinese: "(没有补充)"},
	GroupMute:   {English: "(could not answer)", Chinese: "(未能回答)"},
	GroupMaker:  {English: "moderator", Chinese: "主持人"},
	StopsGroups: {English: "Group chats that were ended: %d.", Chinese: "已结束的代理群聊：%d 个。"},

	GroupOpen:   {English: "goes on", Chinese: "进行中"},
	GroupRounds: {English: "all rounds are over", Chinese: "轮次已用完"},
	GroupAgreed: {English: "nobody had more to add", Chinese: "大家都没有补充"},
	GroupClosed: {English: "it was ended", Chinese: "已被结束"},
	GroupBudget: {English: "its agents have used up the tokens of the request", Chinese: "代理已用完单次请求允许的 token"},
	GroupFailed: {English: "its members could not answer", Chinese: "成员无法回答"},
	GroupGone:   {English: "the conversation of a member was deleted", Chinese: "某个成员的对话已被删除"},
}

// Texts about the skills and roles that users publish and install.
const (
	HelpApp          ID = "help_app"
	AppUsage         ID = "app_usage"
	AppNone          ID = "app_none"
	AppLine          ID = "app_line"          // %s name, %s kind, %d version, %s description
	AppShared        ID = "app_shared"        // behind a line
	AppOff           ID = "app_off"           // behind a line
	AppDisabled      ID = "app_disabled"      // behind a line
	AppNewer         ID = "app_newer"         // %d version, %s name; behind a line
	AppFound         ID = "app_found"         // %d number, %s name, %s kind, %d version, %s owner, %s description
	AppNothing       ID = "app_nothing"       // nothing was found
	AppMore          ID = "app_more"          // there are more
	AppUnknown       ID = "app_unknown"       // %s what was written
	AppSeveral       ID = "app_several"       // %s what was written
	AppNotInstalled  ID = "app_not_installed" // %s what was written
	AppInstalled     ID = "app_installed"     // %s name, %d version, %s owner
	AppForAll        ID = "app_for_all"       // %s name, %d version, %s owner
	AppAsSkill       ID = "app_as_skill"      // %s name
	AppUninstalled   ID = "app_uninstalled"   // %s what was written
	AppGoneForAll    ID = "app_gone_for_all"  // %s what was written
	AppBoth          ID = "app_both"          // %s what was written
	AppNewest        ID = "app_newest"        // %s name, %d version
	AppPublished     ID = "app_published"     // %s name, %d version, %s who finds it
	AppPrivate       ID = "app_private"
	AppEverybody     ID = "app_everybody"
	AppNoRole        ID = "app_no_role" // %s what was written
	AppExport        ID = "app_export"  // %s name, %s address
	AppSkill         ID = "app_skill"
	AppRole          ID = "app_role"
	SkillSwitchedOff ID = "skill_switched_off" // %s name
)

var apps = map[ID]map[Lang]string{
	HelpApp: {English: "lists, finds, installs and publishes skills and roles that people share here", Chinese: "列出、查找、安装和发布大家在此共享的技能与角色"},
	AppUsage: {
		English: "Write `/app list`, `/app browse`, `/app search WORDS`, `/app install NAME`, `/app update NAME`, `/app uninstall NAME`, `/app publish NAME [private|everybody]` or `/app export NAME`. Where a skill and a role have the name, write `skill` or `role` before it. Administrators write `everybody` behind `install`, `update` and `uninstall NAME`, for what is there for all. Archives are uploaded on the page (Settings, Skills & agents).",
		Chinese: "用法：`/app list`、`/app browse`、`/app search 关键词`、`/app install 名称`、`/app update 名称`、`/app uninstall 名称`、`/app publish 名称 [private|everybody]` 或 `/app export 名称`。技能与角色同名时，请在名称前写 `skill` 或 `role`。管理员可在 `install`、`update`、`uninstall 名称` 后写 `everybody`，对所有人生效。压缩包请在网页(设置 → 技能与智能体)上传。",
	},
	AppNone:          {English: "Nothing is installed. `/app browse` shows what there is.", Chinese: "尚未安装任何内容。`/app browse` 可查看现有内容。"},
	AppLine:          {English: "**%s** (%s, version %d): %s", Chinese: "**%s**（%s，第 %d 版）：%s"},
	AppShared:        {English: " · for everybody", Chinese: " · 对所有人"},
	AppOff:           {English: " · switched off", Chinese: " · 已关闭"},
	AppDisabled:      {English: " · switched off by the administrators of this installation", Chinese: " · 已被管理员停用"},
	AppNewer:         {English: " · version %d is there: `/app update %s`", Chinese: " · 有第 %d 版：`/app update %s`"},
	AppFound:         {English: "#%d **%s** (%s, version %d, by %s): %s", Chinese: "#%d **%s**（%s，第 %d 版，作者 %s）：%s"},
	AppNothing:       {English: "Nothing was found.", Chinese: "没有找到。"},
	AppMore:          {English: "There is more: `/app search WORDS` narrows it down.", Chinese: "还有更多：用 `/app search 关键词` 缩小范围。"},
	AppUnknown:       {English: "There is no skill or role %s in the registry.", Chinese: "共享库中没有名为 %s 的技能或角色。"},
	AppSeveral:       {English: "Several are called %s; name one by its number, as in `/app install #1`:", Chinese: "有多个名为 %s；请用编号指定，例如 `/app install #1`："},
	AppNotInstalled:  {English: "You have not installed %s.", Chinese: "你没有安装 %s。"},
	AppInstalled:     {English: "**%s** is installed, version %d by %s.", Chinese: "**%s** 已安装：第 %d 版，作者 %s。"},
	AppForAll:        {English: "**%s** is installed for everybody, version %d by %s.", Chinese: "**%s** 已为所有人安装：第 %d 版，作者 %s。"},
	AppAsSkill:       {English: "Ask for it with `/%s`.", Chinese: "用 `/%s` 调用。"},
	AppUninstalled:   {English: "%s is uninstalled.", Chinese: "%s 已卸载。"},
	AppGoneForAll:    {English: "%s is not installed for everybody any more.", Chinese: "%s 已不再为所有人安装。"},
	AppBoth:          {English: "A skill and a role are called %s: write `skill` or `role` before the name.", Chinese: "技能和角色都叫 %s：请在名称前写 `skill` 或 `role`。"},
	AppNewest:        {English: "**%s** is the newest version already: %d.", Chinese: "**%s** 已是最新版本：第 %d 版。"},
	AppPublished:     {English: "**%s** is published, version %d. It is found by %s.", Chinese: "**%s** 已发布第 %d 版，可见范围：%s。"},
	AppPrivate:       {English: "you alone", Chinese: "仅自己"},
	AppEverybody:     {English: "everybody here", Chinese: "所有人"},
	AppNoRole:        {English: "You have no role %s and have installed nothing of this name. Archives are uploaded on the page (Settings, Skills & agents).", Chinese: "你没有名为 %s 的角色，也没有安装同名内容。压缩包请在网页(设置 → 技能与智能体)上传。"},
	AppExport:        {English: "**%s** as a zip archive, for whoever is signed in as you: %s", Chinese: "**%s** 的 zip 压缩包(需以你的身份登录)：%s"},
	AppSkill:         {English: "skill", Chinese: "技能"},
	AppRole:          {English: "role", Chinese: "角色"},
	SkillSwitchedOff: {English: "The administrators of this installation have switched off the skill `%s`.", Chinese: "本站管理员已停用技能 `%s`。"},
}
