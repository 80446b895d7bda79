import type { Table } from "./table"

const en = {
  title: "Conversations of groups and of others",
  none: "There are none.",
  facts: "{{user}} · {{channel}} · {{messages}} messages · last used {{date}}",
  older: "Older ones",
  remove: "Delete",
  removeLabel: "Delete the conversation {{name}}",
  removeTitle: "Delete {{name}}?",
  removeText: "All messages and received files are deleted for every participant, and running work is stopped. This cannot be undone. Later messages start a new conversation.",
  removeConfirm: "Delete for everyone",
}

export type OthersWord = keyof typeof en

export const othersWords: Table<OthersWord> = {
  en,
  zh: {
    title: "群聊和其他人的对话",
    none: "没有这样的对话。",
    facts: "{{user}} · {{channel}} · {{messages}} 条消息 · 最近使用 {{date}}",
    older: "更早的对话",
    remove: "删除",
    removeLabel: "删除对话 {{name}}",
    removeTitle: "删除 {{name}}？",
    removeText: "其中的所有内容以及收到的文件都会被删除，对所有参与者生效，正在运行的任务也会结束。此操作无法撤销。之后在那里发送的消息会开始新的对话。",
    removeConfirm: "为所有人删除",
  },
}
