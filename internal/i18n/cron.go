package i18n

// Texts about cron jobs.
const (
	HelpCron     ID = "help_cron"
	CronUsage    ID = "cron_usage"
	CronUnknown  ID = "cron_unknown" // %q job
	CronTwo      ID = "cron_two"     // %q a name that two jobs have
	CronWhen     ID = "cron_when"    // %q what was written, %s the forms
	CronLimit    ID = "cron_limit"   // %d jobs
	CronPolicy   ID = "cron_policy"  // a heartbeat is not changed here
	CronOver     ID = "cron_over"    // no time is left
	CronNone     ID = "cron_none"    // a user has no jobs
	CronAdded    ID = "cron_added"   // %s job, %s name, %s next time
	CronRemoved  ID = "cron_removed" // %s name
	CronPaused   ID = "cron_paused"  // %s name
	CronResumed  ID = "cron_resumed" // %s name, %s next time
	CronRan      ID = "cron_ran"     // %s name
	CronNever    ID = "cron_never"   // %s name: it has not run
	CronNext     ID = "cron_next"    // %s time
	CronIsPaused ID = "cron_is_paused"
	CronIsDone   ID = "cron_is_done"
	CronLast     ID = "cron_last" // %s time, %s outcome
	CronGone     ID = "cron_gone"
	CronInvalid  ID = "cron_invalid"
	CronCrashed  ID = "cron_crashed"

	CronOutWaiting ID = "cron_out_waiting"
	CronOutRunning ID = "cron_out_running"
	CronOutDone    ID = "cron_out_done"
	CronOutSilent  ID = "cron_out_silent"
	CronOutStopped ID = "cron_out_stopped"
	CronOutFailed  ID = "cron_out_failed"
	CronOutLost    ID = "cron_out_lost"
	CronOutSkipped ID = "cron_out_skipped"
	CronOutGone    ID = "cron_out_gone"
)

var crons = map[ID]map[Lang]string{
	HelpCron:     {English: "lists and changes jobs, which run at certain times", Chinese: "定时任务"},
	CronUsage:    {English: "Write `/cron`, `/cron add WHEN MESSAGE`, `/cron edit JOB when|message|name|timezone|missed VALUE`, or `/cron pause|resume|run|remove|runs JOB`. WHEN is a cron expression such as `0 9 * * 1-5`, `@daily`, `every 30m`, `at 2026-03-29 08:00` or `in 20m`.", Chinese: "用法：`/cron`、`/cron add 时间 内容`、`/cron edit 任务 when|message|name|timezone|missed 值`，或 `/cron pause|resume|run|remove|runs 任务`。时间可以是 cron 表达式(如 `0 9 * * 1-5`)、`@daily`、`every 30m`、`at 2026-03-29 08:00` 或 `in 20m`。"},
	CronUnknown:  {English: "There is no job %q. `/cron` lists them with their ids and names.", Chinese: "没有定时任务 %q。`/cron` 会列出编号和名称。"},
	CronTwo:      {English: "Several jobs are called %q: name the one you mean by its id.", Chinese: "有多个定时任务叫 %q：请用编号指明。"},
	CronWhen:     {English: "%q says no time; write %s.", Chinese: "看不懂时间 %q；可以写 %s。"},
	CronLimit:    {English: "You have %d jobs, which is the most: remove one first.", Chinese: "已有 %d 个定时任务，不能再添加：请先删除一个。"},
	CronPolicy:   {English: "This is a heartbeat: the policy sets it.", Chinese: "这是心跳任务：由策略设定。"},
	CronOver:     {English: "This job has no time left to run: give it another time.", Chinese: "此任务已没有剩余的时间：请设定新的时间。"},
	CronNone:     {English: "There are no jobs. `/cron add 0 9 * * 1-5 what is new?` makes one.", Chinese: "没有定时任务。用 `/cron add 0 9 * * 1-5 有什么新消息？` 添加一个。"},
	CronAdded:    {English: "Job `%s` (%s) runs next at %s.", Chinese: "定时任务 `%s`(%s)下次运行：%s。"},
	CronRemoved:  {English: "%s is removed.", Chinese: "已删除 %s。"},
	CronPaused:   {English: "%s is paused.", Chinese: "已暂停 %s。"},
	CronResumed:  {English: "%s goes on, next at %s.", Chinese: "已恢复 %s，下次运行：%s。"},
	CronRan:      {English: "%s runs now.", Chinese: "%s 现在运行。"},
	CronNever:    {English: "%s has not run yet.", Chinese: "%s 还没有运行过。"},
	CronNext:     {English: "next %s", Chinese: "下次 %s"},
	CronIsPaused: {English: "paused", Chinese: "已暂停"},
	CronIsDone:   {English: "done", Chinese: "已结束"},
	CronLast:     {English: "last %s: %s", Chinese: "上次 %s:%s"},
	CronGone:     {English: "its conversation was deleted", Chinese: "它的对话已被删除"},
	CronCrashed:  {English: "the server crashed twice when it was due", Chinese: "到点执行时服务器崩溃了两次"},
	CronInvalid:  {English: "its schedule is no longer valid", Chinese: "无法再识别它的时间表"},

	CronOutWaiting: {English: "waits", Chinese: "等待中"},
	CronOutRunning: {English: "runs", Chinese: "运行中"},
	CronOutDone:    {English: "done", Chinese: "完成"},
	CronOutSilent:  {English: "done, nothing to say", Chinese: "完成，无需回复"},
	CronOutStopped: {English: "stopped", Chinese: "已停止"},
	CronOutFailed:  {English: "failed", Chinese: "失败"},
	CronOutLost:    {English: "ended early", Chinese: "提前结束"},
	CronOutSkipped: {English: "skipped", Chinese: "已跳过"},
	CronOutGone:    {English: "its conversation was deleted", Chinese: "对话已删除"},
}

// Texts about the times of jobs, and errors about invalid ones.
const (
	CronZoneProfile ID = "cron_zone_profile" // %s timezone
	CronZonePolicy  ID = "cron_zone_policy"  // %s timezone
	CronZoneServer  ID = "cron_zone_server"  // %s timezone
	CronChanged     ID = "cron_changed"      // %s the job as it is now

	CronNoZone     ID = "cron_no_zone"     // %q what was written
	CronNoExpr     ID = "cron_no_expr"     // %q what was written
	CronLongStep   ID = "cron_long_step"   // %q a part of a field
	CronSixFields  ID = "cron_six_fields"  // %q what was written
	CronNoDuration ID = "cron_no_duration" // %q what was written
	CronNeverComes ID = "cron_never_comes" // %q an expression
	CronInterval   ID = "cron_interval"
	CronDelay      ID = "cron_delay"
	CronPast       ID = "cron_past"   // %s time
	CronFar        ID = "cron_far"    // %s time
	CronMissed     ID = "cron_missed" // how missed times are written

	CronEmpty            ID = "cron_empty"
	CronLong             ID = "cron_long"      // %d bytes, %d at most
	CronLongName         ID = "cron_long_name" // %d characters at most
	CronChangedMeanwhile ID = "cron_changed_meanwhile"
)

var cronTimes = map[ID]map[Lang]string{
	CronZoneProfile: {English: "The times of new jobs are in %s, the timezone of your profile.", Chinese: "新任务的时间按 %s 时区理解：来自你的个人资料。"},
	CronZonePolicy:  {English: "The times of new jobs are in %s, the timezone of the policy.", Chinese: "新任务的时间按 %s 时区理解：由策略设定。"},
	CronZoneServer:  {English: "The times of new jobs are in %s, the timezone of the server.", Chinese: "新任务的时间按 %s 时区理解：即服务器的时区。"},
	CronChanged:     {English: "Changed:\n%s", Chinese: "已更改：\n%s"},

	CronNoZone:     {English: "%q is no timezone; write an IANA name such as Europe/Berlin.", Chinese: "%q 不是时区；请写 IANA 名称，如 Asia/Shanghai。"},
	CronNoExpr:     {English: "%q is no cron expression: write minute, hour, day of the month, month and day of the week, without a timezone.", Chinese: "%q 不是 cron 表达式：依次为分、时、日、月、星期，不含时区。"},
	CronLongStep:   {English: "%q means a single time, because its step is larger than the range. For a longer interval write `every 90m` or `every 2d`.", Chinese: "%q 的步长超过了取值范围，只会匹配一个时间点。更长的间隔请写 `every 90m` 或 `every 2d`。"},
	CronSixFields:  {English: "%q has six fields: leave out the seconds or the year. Minute, hour, day of the month, month and day of the week are read.", Chinese: "%q 有六个字段：请去掉秒或年，只写分、时、日、月、星期。"},
	CronNoDuration: {English: "%q is no duration; write 30m, 2h or 1d.", Chinese: "%q 不是时长；请写 30m、2h 或 1d。"},
	CronNeverComes: {English: "%q never comes.", Chinese: "%q 永远不会到来。"},
	CronInterval:   {English: "An interval must be between a minute and a year.", Chinese: "间隔须在一分钟到一年之间。"},
	CronDelay:      {English: "That is less than a second or more than a year.", Chinese: "不足一秒或超过一年。"},
	CronPast:       {English: "%s is in the past.", Chinese: "%s 已经过去。"},
	CronFar:        {English: "%s is more than ten years away.", Chinese: "%s 在十年以后。"},
	CronMissed:     {English: "For missed times write skip, once or all.", Chinese: "错过的时间可写 skip、once 或 all。"},

	CronEmpty:            {English: "The message is empty; say what to do.", Chinese: "内容为空；请说明要做什么。"},
	CronLong:             {English: "The message has %d bytes; at most %d are allowed.", Chinese: "内容有 %d 字节；最多 %d 字节。"},
	CronLongName:         {English: "The name is longer than %d characters.", Chinese: "名称超过 %d 个字符。"},
	CronChangedMeanwhile: {English: "Somebody changed the job meanwhile; look at it again.", Chinese: "任务刚被更改过；请重新查看。"},
}
