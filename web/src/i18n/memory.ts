import type { Language } from "."
import type { Table } from "./table"

const en = {
  title: "Memory",
  lead: "What is remembered of you beyond one conversation. Nobody else sees it.",
  search: "Search memory",
  none: "Nothing is remembered yet.",
  noneFound: "Nothing of the kind is remembered.",
  list: "What is remembered",
  agent: "Memory of",
  note: "note",
  block: "block",
  archive: "archive",
  log: "conversation",
  edit: "Change",
  editLabel: "Change {{name}}",
  text: "Text of {{name}}",
  changed: "It was changed meanwhile. What you save takes the place of this:",
  save: "Save",
  cancel: "Cancel",
  forget: "Forget",
  forgetLabel: "Forget {{name}}",
  forgetTitle: "Forget {{name}}?",
  forgetText: "It is deleted for good. Transcripts stay as they are.",
  export: "Export as Markdown",
  waiting: "The conversation of {{date}} is being put into memory.",
  failed: "The conversation of {{date}} could not be put into memory: {{why}}.",
}

export type MemoryWord = keyof typeof en

const zh: Record<MemoryWord, string> = {
  title: "记忆",
  lead: "跨对话记住的关于你的内容,仅你可见。",
  search: "搜索记忆",
  none: "还没有任何记忆。",
  noneFound: "没有相关的记忆。",
  list: "记忆内容",
  agent: "所属记忆",
  note: "笔记",
  block: "区块",
  archive: "归档",
  log: "对话",
  edit: "修改",
  editLabel: "修改 {{name}}",
  text: "{{name}} 的内容",
  changed: "内容已被更改。保存后将替换以下内容：",
  save: "保存",
  cancel: "取消",
  forget: "忘记",
  forgetLabel: "忘记 {{name}}",
  forgetTitle: "忘记 {{name}}?",
  forgetText: "将永久删除。对话记录保持不变。",
  export: "导出为 Markdown",
  waiting: "{{date}} 的对话正在写入记忆。",
  failed: "{{date}} 的对话未能写入记忆:{{why}}。",
}

const words: Record<Language, Record<MemoryWord, string>> = { en, zh }

export const memoryWords: Table<MemoryWord> = words
