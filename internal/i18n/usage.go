package i18n

// What people are told of the tokens they have used.
const (
	UsageNone  ID = "usage_none"
	UsageHead  ID = "usage_head" // heads of a table's columns
	UsageToday ID = "usage_today"
	UsageWeek  ID = "usage_week"
	UsageHere  ID = "usage_here"
)

var usage = map[ID]map[Lang]string{
	UsageNone:  {English: "Nothing was used in the last 7 days.", Chinese: "最近 7 天没有用量。"},
	UsageHead:  {English: "model | calls | read | from cache | written", Chinese: "模型 | 调用 | 读入 | 其中缓存 | 写出"},
	UsageToday: {English: "today (UTC)", Chinese: "今天(UTC)"},
	UsageWeek:  {English: "last 7 days", Chinese: "最近 7 天"},
	UsageHere:  {English: "this conversation", Chinese: "本对话"},
}
