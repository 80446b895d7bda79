import type { Table } from "./table"

const en = {
  title: "Group chats",
  lines: "{{n}} lines, at most {{rounds}} rounds",
  moderator: "conversation",
  end: "End this chat",
  open: "open",
  rounds: "all rounds are over",
  agreed: "finished",
  closed: "ended manually",
  budget: "its tokens are used up",
  failed: "its members could not answer",
  gone: "the conversation of a member was deleted",
  passed: "nothing to add",
  silent: "could not answer",
  speaks: "{{name}} is speaking…",
  said: "Messages",
  newest: "Only the newest {{n}} lines are shown.",
}

export type GroupWord = keyof typeof en

const zh: Record<GroupWord, string> = {
  title: "群聊",
  lines: "{{n}} 条发言，最多 {{rounds}} 轮",
  moderator: "会话",
  end: "结束此群聊",
  open: "进行中",
  rounds: "所有轮次已结束",
  agreed: "没有人需要补充",
  closed: "已被结束",
  budget: "token 预算已用完",
  failed: "成员无法回答",
  gone: "某个成员的对话已被删除",
  passed: "没有补充",
  silent: "无法回答",
  speaks: "{{name}} 正在发言…",
  said: "发言内容",
  newest: "仅显示最新的 {{n}} 条发言。",
}

export const groupWords: Table<GroupWord> = { en, zh }
