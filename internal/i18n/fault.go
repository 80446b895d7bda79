package i18n

import (
	"errors"

	"xbot/internal/fault"
)

// Refusals that users read: as errors in English, as answers in their language.
const (
	QueueFull     ID = "queue_full"      // %d messages wait
	QueueFullLast ID = "queue_full_last" // behind it, if further refusals are only counted
	QueueUnsaid   ID = "queue_unsaid"    // %d messages refused without a notice
	RunnerUnknown ID = "runner_unknown"  // %q name
	PairUnknown   ID = "pair_unknown"    // %q code
	FolderNone    ID = "folder_none"     // %s path
)

var refusals = map[ID]map[Lang]string{
	QueueFull:     {English: "%d messages wait in this conversation already. Send this one when some have been answered, or stop the turn.", Chinese: "此对话已有 %d 条消息在等待。请在部分消息得到回答后再发送这一条，或停止本轮。"},
	QueueFullLast: {English: "If more of your messages find no room within this minute, I only count them.", Chinese: "这一分钟内若再有消息因无空位被拒，将只计数，不再逐条提示。"},
	QueueUnsaid:   {English: "Since I last said so, %d more of your messages found no room and were not kept.", Chinese: "上次提示之后，你另有 %d 条消息因已无空位而未保留。"},
	RunnerUnknown: {English: "There is no runner named %q.", Chinese: "没有名为 %q 的运行器。"},
	PairUnknown:   {English: "The code %q is unknown, was used, or is older than a day. The person can write to me again for a new one.", Chinese: "没有人在用配对码 %q 等待：它不存在、已被使用，或已超过一天。对方再写一条消息即可得到新的配对码。"},
	FolderNone:    {English: "There is no folder %s.", Chinese: "没有文件夹 %s。"},
}

// sentence is an error that the catalogue has words for.
type sentence struct {
	id   ID
	args []any
}

// Error returns the English sentence.
func (s sentence) Error() string { return Say(English, s.id, s.args...) }

// Fault makes an error of a sentence: English for programs and for the model; Explain translates it for users.
func Fault(kind fault.Kind, id ID, args ...any) *fault.Error {
	return fault.Errorf(kind, "%w", sentence{id: id, args: args})
}

// Says reports whether an error is this sentence of the catalogue.
func Says(err error, id ID) bool {
	s, ok := errors.AsType[sentence](err)
	return ok && s.id == id
}

// Explain returns the text of an error for a user: in their language if it is a sentence of the catalogue, else as it is.
func Explain(lang Lang, err error) string {
	if s, ok := errors.AsType[sentence](err); ok {
		return Say(lang, s.id, s.args...)
	}
	return err.Error()
}
