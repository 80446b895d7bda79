package i18n

// Texts about memory.
const (
	MemorizeFailed ID = "memorize_failed" // %s why

	HelpMemory   ID = "help_memory"
	MemoryUsage  ID = "memory_usage"
	MemoryHead   ID = "memory_head"   // %d things that follow, %d entries of the archive
	MemoryLog    ID = "memory_log"    // a list follows
	MemoryFound  ID = "memory_found"  // %s words; a list follows
	MemoryNone   ID = "memory_none"   // nothing of the kind is remembered
	MemoryMore   ID = "memory_more"   // %d that are not listed
	MemoryMany   ID = "memory_many"   // %d things, %s the command that forgets all; a list follows
	MemoryGone   ID = "memory_gone"   // %d things; a list follows
	MemorySet    ID = "memory_set"    // %s id
	MemoryExport ID = "memory_export" // %s address
	MemoryWaits  ID = "memory_waits"  // %s time
	MemoryLost   ID = "memory_lost"   // %s time, %s why
	MemoryGuest  ID = "memory_guest"  // the conversation is another user's
	MemoryGroup  ID = "memory_group"  // only administrators change that of a group
)

var memories = map[ID]map[Lang]string{
	MemorizeFailed: {
		English: "What was said here before could not be memorized: %s. It stays readable above.",
		Chinese: "之前的对话未能写入记忆：%s。上文仍可阅读。",
	},
	HelpMemory: {English: "shows, searches, changes and deletes what is remembered of you", Chinese: "查看、搜索、修改或忘记关于你的记忆"},
	MemoryUsage: {
		English: "Write `/memory`, `/memory search WORDS`, `/memory edit NAME TEXT` (of a note, or of human, persona, working_context), `/memory forget ID` or `WORDS`, `/memory log` or `/memory export`.",
		Chinese: "用法：`/memory`、`/memory search 词语`、`/memory edit 名称 内容`(笔记，或 human、persona、working_context)、`/memory forget 编号` 或 `词语`、`/memory log`、`/memory export`。",
	},
	MemoryHead:   {English: "What is remembered (%d), with %d entries in the archive:", Chinese: "记忆内容：共 %d 项，归档 %d 条。"},
	MemoryLog:    {English: "What conversations were about, the newest first:", Chinese: "以往对话的内容(最新的在前)："},
	MemoryFound:  {English: "Remembered with “%s”:", Chinese: "记忆中与“%s”相关的内容："},
	MemoryNone:   {English: "Nothing of the kind is remembered.", Chinese: "没有相关的记忆。"},
	MemoryMore:   {English: "And %d more; `/memory search WORDS` finds them, and the page shows all.", Chinese: "另有 %d 项；可用 `/memory search 词语` 查找，网页上可查看全部。"},
	MemoryMany:   {English: "%d entries hold these words. Delete one by its id, or all of them with `%s`:", Chinese: "有 %d 项包含这些词语。可按编号逐项忘记，或用 `%s` 全部忘记："},
	MemoryGone:   {English: "Deleted, %d in all:", Chinese: "已忘记，共 %d 项："},
	MemorySet:    {English: "`%s` is as you wrote it. Running conversations read it when they begin anew.", Chinese: "`%s` 已按你写的保存。进行中的对话在重新开始后才会读到。"},
	MemoryExport: {English: "Everything that is remembered, as Markdown, after you sign in: %s", Chinese: "全部记忆(Markdown，需登录)：%s"},
	MemoryWaits:  {English: "The conversation of %s is being memorized.", Chinese: "%s 的对话正在写入记忆。"},
	MemoryLost:   {English: "The conversation of %s could not be memorized: %s.", Chinese: "%s 的对话未能写入记忆：%s。"},
	MemoryGuest:  {English: "This conversation belongs to somebody else, and only they may see what is remembered of them. Write `/memory` in a conversation of your own.", Chinese: "这是别人的对话，其记忆只有本人可见。请在你自己的对话中使用 `/memory`。"},
	MemoryGroup:  {English: "Only administrators can change what is remembered of a group.", Chinese: "群组的记忆只有管理员可以修改。"},
}
