package i18n

// What a test of a channel writes to a platform.
const (
	TrialMessage ID = "trial_message"
)

var trial = map[ID]map[Lang]string{
	TrialMessage: {English: "A test of xbot: what it sends arrives here.", Chinese: "xbot 测试消息：它发送的内容会到达这里。"},
}
