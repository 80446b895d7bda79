package i18n

// What people are told about the times of jobs, and why a job is not kept as they wrote it.
const (
	CronZoneProfile ID = "cron_zone_profile" // %s timezone
	CronZonePolicy  ID = "cron_zone_policy"  // %s timezone
	CronZoneServer  ID = "cron_zone_server"  // %s timezone
	CronChanged     ID = "cron_changed"      // %s the job as it is now

	CronNoZone     ID = "cron_no_zone"     // %q what was written
	CronNoExpr     ID = "cron_no_expr"     // %q what was written
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
	CronZoneProfile: {English: "The times of new jobs are read in %s: so says your profile.", Chinese: "新任务的时间按 %s 时区理解：来自你的个人资料。"},
	CronZonePolicy:  {English: "The times of new jobs are read in %s: so says the policy.", Chinese: "新任务的时间按 %s 时区理解：由策略设定。"},
	CronZoneServer:  {English: "The times of new jobs are read in %s, the timezone of the server.", Chinese: "新任务的时间按 %s 时区理解：即服务器的时区。"},
	CronChanged:     {English: "Changed:\n%s", Chinese: "已更改：\n%s"},

	CronNoZone:     {English: "%q is no timezone; write an IANA name such as Europe/Berlin.", Chinese: "%q 不是时区；请写 IANA 名称，如 Asia/Shanghai。"},
	CronNoExpr:     {English: "%q is no cron expression: it has minute, hour, day of the month, month and day of the week, and no timezone.", Chinese: "%q 不是 cron 表达式：依次为分、时、日、月、星期，不含时区。"},
	CronNoDuration: {English: "%q is no duration; write 30m, 2h or 1d.", Chinese: "%q 不是时长；请写 30m、2h 或 1d。"},
	CronNeverComes: {English: "%q never comes.", Chinese: "%q 永远不会到来。"},
	CronInterval:   {English: "An interval lasts between a minute and a year.", Chinese: "间隔须在一分钟到一年之间。"},
	CronDelay:      {English: "That is less than a second or more than a year.", Chinese: "不足一秒或超过一年。"},
	CronPast:       {English: "%s is in the past.", Chinese: "%s 已经过去。"},
	CronFar:        {English: "%s is more than ten years away.", Chinese: "%s 在十年以后。"},
	CronMissed:     {English: "For missed times write skip, once or all.", Chinese: "错过的时间可写 skip、once 或 all。"},

	CronEmpty:            {English: "The message is empty; say what is to be done.", Chinese: "内容为空；请说明要做什么。"},
	CronLong:             {English: "The message has %d bytes; at most %d are kept.", Chinese: "内容有 %d 字节；最多 %d 字节。"},
	CronLongName:         {English: "The name is longer than %d characters.", Chinese: "名称超过 %d 个字符。"},
	CronChangedMeanwhile: {English: "The job was changed meanwhile; look at it again.", Chinese: "任务刚被更改过；请重新查看。"},
}
