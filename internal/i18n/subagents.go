package i18n

// What people are told of subagents.
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
)

var subagents = map[ID]map[Lang]string{
	SubagentsSpent: {English: "This subagent was ended: the subagents of this request have taken all the tokens that they may.", Chinese: "该子代理已结束：本次请求的子代理已用完允许的 token。"},
	SubagentAsks:   {English: "Subagent %s asks whether it may run %s: %s\nAnswer with `/approve` or `/deny`, or open it under Subagents.", Chinese: "子代理 %s 请求许可运行 %s:%s\n请用 `/approve` 或 `/deny` 回答，或在“子代理”中打开它。"},
	SubagentsNone:  {English: "No subagent works for this conversation.", Chinese: "本对话没有子代理在工作。"},
	SubagentsHead:  {English: "subagent | state | now | steps | tokens", Chinese: "子代理 | 状态 | 正在 | 步数 | token"},
	StopsSubagents: {English: "Subagents that are stopped: %d.", Chinese: "已停止的子代理：%d 个。"},
	SubagentStops:  {English: "Subagent %s is being stopped.", Chinese: "正在停止子代理 %s。"},
	SubagentRests:  {English: "Subagent %s was not running.", Chinese: "子代理 %s 没有在运行。"},
	SubagentOver:   {English: "This subagent was there for one answer, and has given it: its conversation can be read, not written to. Ask in the conversation that it worked for.", Chinese: "该子代理只回答一次，现已回答：其对话只能阅读，不能再写。请到它所服务的对话中提问。"},
	SubagentNone:   {English: "There is no subagent %s here: `/subagents` lists them.", Chinese: "这里没有子代理 %s:`/subagents` 会列出它们。"},
	HelpSubagents:  {English: "lists the subagents of this conversation; stop NAME stops one, stop alone all that run", Chinese: "列出本对话的子代理；stop 名称 停止其中一个，只写 stop 停止所有正在运行的"},
	HelpAgents:     {English: "lists the roles that work can be handed to here", Chinese: "列出这里可以交办工作的角色"},
	AgentsHead:     {English: "role | for | from", Chinese: "角色 | 用途 | 来源"},
	AgentsBroken:   {English: "%s is no role: %s", Chinese: "%s 不是角色：%s"},
	AgentsOf:       {English: "the program", Chinese: "程序自带"},
}
