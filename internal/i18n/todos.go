package i18n

// Texts about todos.
const (
	HelpTodos ID = "help_todos"
	TodosNone ID = "todos_none"
	TodosHere ID = "todos_here"
)

var todos = map[ID]map[Lang]string{
	HelpTodos: {English: "shows what is left to do, here and in your other conversations", Chinese: "查看本对话及你其他对话的待办事项"},
	TodosNone: {English: "There is no to-do list in this conversation.", Chinese: "本对话没有待办事项。"},
	TodosHere: {English: "To do in this conversation:", Chinese: "本对话的待办事项："},
}

// Texts about plan mode and the plans that models propose (tool propose_plan).
const (
	HelpPlan      ID = "help_plan"
	PlanUsage     ID = "plan_usage"
	PlanOn        ID = "plan_on"
	PlanOff       ID = "plan_off"
	PlanIsOn      ID = "plan_is_on"
	PlanIsOff     ID = "plan_is_off"
	PlanNow       ID = "plan_now"       // the turn that runs waits for a plan
	PlanWrong     ID = "plan_wrong"     // %s what is wrong with an edited plan
	PlanNoteLong  ID = "plan_note_long" // %d bytes
	CallPlanFirst ID = "call_plan"      // result of a call in a turn without an approved plan; %s tool
	PlanRejected  ID = "plan_rejected"  // result of a plan that a user did not approve
	PlanRevise    ID = "plan_revise"    // the same, %s note
	PlanLate      ID = "plan_late"      // the same, without an answer in time
	PlanTitle     ID = "plan_title"     // above a plan that is to be approved
	PlanTitled    ID = "plan_titled"    // the same, %s title
	PlanAsks      ID = "plan_asks"      // above the questions of a plan
	PlanHow       ID = "plan_how"       // how it is answered in words
	PlanApprove   ID = "plan_approve"   // label of a button
	PlanReject    ID = "plan_reject"    // label of a button
	PlanNote      ID = "plan_note"      // label of the field
	PlanTaken     ID = "plan_taken"     // a user approved it
	PlanBack      ID = "plan_back"      // a user sent it back
	PlanBackNote  ID = "plan_back_note" // the same, %s note
	PlanByPerson  ID = "plan_by_person" // %s who approved it
	PlanByEdit    ID = "plan_by_edit"   // %s who edited and approved it
	PlanBackBy    ID = "plan_back_by"   // %s who sent it back
	PlanNobody    ID = "plan_nobody"    // not answered in time
)

var plans = map[ID]map[Lang]string{
	HelpPlan:      {English: "has a plan made and approved before anything is changed: for one message, or for all of this conversation; alone, says whether that is so", Chinese: "先制定计划，经你批准后再改动：可针对一条消息，或整个对话；单独发送则显示当前状态"},
	PlanUsage:     {English: "Write `/plan` and a message, `/plan on`, `/plan off`, or `/plan` alone.", Chinese: "用法：`/plan 消息`、`/plan on`、`/plan off`，或单独发送 `/plan`。"},
	PlanOn:        {English: "Plan mode is on: before anything is changed here, a plan waits for your approval. `/plan off` ends it.", Chinese: "已开启计划模式：此对话中任何改动之前，都会先提交计划等待你批准。用 `/plan off` 关闭。"},
	PlanOff:       {English: "Plan mode is off.", Chinese: "已关闭计划模式。"},
	PlanIsOn:      {English: "Plan mode is on in this conversation: before anything is changed, a plan waits for your approval.", Chinese: "此对话已开启计划模式：任何改动之前，都会先提交计划等待你批准。"},
	PlanIsOff:     {English: "Plan mode is off in this conversation. `/plan on` switches it on, `/plan` and a message plans that message alone.", Chinese: "此对话未开启计划模式。`/plan on` 开启；`/plan 消息` 只对这条消息生效。"},
	PlanNow:       {English: "The turn that runs has no approved plan yet, so it only reads.", Chinese: "当前轮次的计划尚未获批准，因此只读取、不改动。"},
	PlanWrong:     {English: "This is no plan that can be approved: %s. It goes on to wait.", Chinese: "这不是可以批准的计划：%s。原计划仍在等待。"},
	PlanNoteLong:  {English: "The plan still waits: your note has more than %d bytes. Write a shorter one, `approve` or `reject`.", Chinese: "计划仍在等待：意见超过 %d 字节。请缩短，或回复 `批准` 或 `退回`。"},
	CallPlanFirst: {English: "Not run: the user wants to approve a plan first, and until then only tools that read run, which %s does not. Call propose_plan with what you would do; if you do not have it, report that instead. Do not try to get the same effect by other means.", Chinese: ""},
	PlanRejected:  {English: "The user did not approve the plan. Propose another one if you know what they want instead, or ask them.", Chinese: ""},
	PlanRevise:    {English: "The user sent the plan back: %s\nPropose one that heeds this.", Chinese: ""},
	PlanLate:      {English: "Nobody answered within the time that plans stay open, so it is not approved. Say what you would do, and end.", Chinese: ""},
	PlanTitle:     {English: "A plan for you to approve", Chinese: "有计划待你批准"},
	PlanTitled:    {English: "A plan for you to approve: %s", Chinese: "有计划待你批准：%s"},
	PlanAsks:      {English: "Open questions:", Chinese: "待确认的问题："},
	PlanHow:       {English: "Reply `approve` or `reject`. Anything else that you write sends it back with your note.", Chinese: "请回复 `批准` 或 `退回`。回复其他内容，则作为意见退回修改。"},
	PlanApprove:   {English: "Approve", Chinese: "批准"},
	PlanReject:    {English: "Send back", Chinese: "退回"},
	PlanNote:      {English: "Note (optional)", Chinese: "意见(可选)"},
	PlanTaken:     {English: "Plan approved.", Chinese: "计划已批准。"},
	PlanBack:      {English: "Plan sent back.", Chinese: "计划已退回。"},
	PlanBackNote:  {English: "Plan sent back with your note: %s", Chinese: "计划已退回，意见：%s"},
	PlanByPerson:  {English: "Plan approved by %s", Chinese: "%s 已批准计划"},
	PlanByEdit:    {English: "Plan edited and approved by %s", Chinese: "%s 修改并批准了计划"},
	PlanBackBy:    {English: "Plan sent back by %s", Chinese: "%s 退回了计划"},
	PlanNobody:    {English: "Nobody answered in time, so the plan is not approved.", Chinese: "无人及时答复，计划未获批准。"},
}
