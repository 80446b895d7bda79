package i18n

import "strings"

// Texts about hooks.
const (
	HookRefusedMessage ID = "hook_refused_message" // reason
	HookRefusedTold    ID = "hook_refused_told"    // reason
	HookRefusedCall    ID = "hook_refused_call"    // reason; for the model
	HookUnasked        ID = "hook_unasked"         // for the model
	HookCrashed        ID = "hook_crashed"         // for the model
	HookChanged        ID = "hook_changed"         // hook; for the model
	HookChangedAsks    ID = "hook_changed_asks"    // hook; before the reason of a question
	HookChangedDenied  ID = "hook_changed_denied"  // hook, arguments; the reason of a denial, for the model
	HookChangedInquiry ID = "hook_changed_inquiry" // hook; the reason of a denial, for the model
	HookNoReason       ID = "hook_no_reason"
	HookSays           ID = "hook_says" // what; for the model
	HookDeferredText   ID = "hook_deferred"

	HelpHooks     ID = "help_hooks"
	HooksUsage    ID = "hooks_usage"
	HooksColumns  ID = "hooks_columns"
	HooksNone     ID = "hooks_none"
	HooksFaults   ID = "hooks_faults"
	HooksDeferred ID = "hooks_deferred"
)

var hooks = map[ID]map[Lang]string{
	HookRefusedMessage: {English: "A hook of this installation refused this message, so it was not answered: %s", Chinese: "本系统的钩子拒绝了这条消息，因此没有回答：%s"},
	HookRefusedTold:    {English: "A hook of this installation refused a message of a program, so nothing was done: %s", Chinese: "本系统的钩子拒绝了自动送来的内容，因此什么也没做：%s"},
	HookRefusedCall:    {English: "A hook of this installation refused this call: %s. It did not run. Do not try to get the same effect by other means; tell the user."},
	HookCrashed:        {English: "Error: this call did not run: the server crashed twice while its hooks ran. Do not repeat it with the same input. Try another way, and tell the user."},
	HookUnasked:        {English: "This call did not run: its hooks must run first, and they did not."},
	HookChanged:        {English: "[the hook %s changed the arguments of this call before it ran; the call shows the changed ones]"},
	HookChangedAsks:    {English: "The hook %s changed this call.", Chinese: "钩子 %s 修改了此调用。"},
	HookChangedDenied:  {English: "the hook %s changed its arguments to %s, which the permission rules deny"},
	HookChangedInquiry: {English: "the hook %s turned the call into a question to the user, which hooks may not do"},
	HookNoReason:       {English: "it gave no reason", Chinese: "它没有说明原因"},
	HookSays:           {English: "[hook: %s]"},
	HelpHooks:          {English: "shows the hooks and their errors; allows or denies calls that they deferred; tests them", Chinese: "显示钩子及其配置错误；批准或拒绝被钩子搁置的调用；试运行钩子"},
	HooksUsage:         {English: "Write /hooks, /hooks allow CALL, /hooks deny CALL with a note, or /hooks test EVENT TOOL INPUT.", Chinese: "用法：/hooks、/hooks allow 调用编号、/hooks deny 调用编号 说明，或 /hooks test 事件 工具 参数。"},
	HooksColumns:       {English: "event | handler | from", Chinese: "事件 | 询问 | 来源"},
	HooksNone:          {English: "There are no hooks.", Chinese: "没有钩子。"},
	HooksFaults:        {English: "Errors in the files:", Chinese: "文件中的错误："},
	HooksDeferred:      {English: "Waiting for an administrator, `/hooks allow CALL` or `/hooks deny CALL`:", Chinese: "等待管理员，用 `/hooks allow 调用编号` 或 `/hooks deny 调用编号`："},
	HookDeferredText:   {English: "An administrator has to allow this.", Chinese: "这需要管理员允许。"},
}

// Reasons why a call of an allowed MCP tool needs approval again: the tool has changed since a rule allowed it.
const (
	ToolChanged            ID = "tool_changed"             // %s what changed; precedes the reason of an approval
	ToolChangedAddress     ID = "tool_changed_address"     // the address of its server
	ToolChangedDescription ID = "tool_changed_description" // as the server describes it
	ToolChangedArguments   ID = "tool_changed_arguments"   // the schema of its arguments
	ToolChangedAnnotations ID = "tool_changed_annotations" // the annotations, such as read-only
)

var changedTools = map[ID]map[Lang]string{
	ToolChanged:            {English: "This tool has changed since you allowed it: %s.", Chinese: "您允许后，此工具发生了变化：%s。"},
	ToolChangedAddress:     {English: "the address of its server", Chinese: "服务器地址"},
	ToolChangedDescription: {English: "its description", Chinese: "说明"},
	ToolChangedArguments:   {English: "its arguments", Chinese: "参数"},
	ToolChangedAnnotations: {English: "its annotations", Chinese: "注解"},
}

var changedParts = map[string]ID{
	"address": ToolChangedAddress, "description": ToolChangedDescription, "arguments": ToolChangedArguments, "annotations": ToolChangedAnnotations,
}

// ToolChangedIn returns a sentence that lists what changed of a tool since a rule allowed it. parts are names with blanks between.
func ToolChangedIn(lang Lang, parts string) string {
	var said []string
	for part := range strings.FieldsSeq(parts) {
		if id, known := changedParts[part]; known {
			said = append(said, Say(lang, id))
		}
	}
	separator := ", "
	if lang == Chinese {
		separator = "、"
	}
	return Say(lang, ToolChanged, strings.Join(said, separator))
}
