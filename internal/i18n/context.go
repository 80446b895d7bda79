package i18n

// What became of the context of a conversation.
const (
	Compacted        ID = "compacted"          // %s tokens before, %s after
	CompactedByRule  ID = "compacted_by_rule"  // %s tokens before, %s after; no model wrote a usable summary
	NothingToCompact ID = "nothing_to_compact" // the answer of /compact in a short conversation
	NotCompacted     ID = "not_compacted"      // the answer of /compact without a model; %s reason
)

var contextNotices = map[ID]map[Lang]string{
	Compacted:        {English: "Context compacted: %s → %s tokens.", Chinese: "上下文已压缩：%s → %s tokens。"},
	CompactedByRule:  {English: "Context compacted: %s → %s tokens. The model wrote no usable summary, so it was made by rule; details may be missing from what the model sees.", Chinese: "上下文已压缩：%s → %s tokens。模型未能写出可用的摘要，改为按规则提取，模型看到的内容可能缺少细节。"},
	NothingToCompact: {English: "There is nothing to compress yet.", Chinese: "目前没有可压缩的内容。"},
	NotCompacted:     {English: "The context was not compressed, since the model did not answer (%s). Nothing has changed; try /compact again in a moment.", Chinese: "上下文未压缩，因为模型没有回答(%s)。一切保持原样，请稍后再试 /compact。"},
}
