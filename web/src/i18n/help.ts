import type { Table } from "./table"

const en = {
  title: "Commands and shortcuts",
  keys: "Keys",
  send: "Send the message",
  newline: "Start a new line",
  recall: "Recall your earlier messages, in an empty message box",
  search: "Search conversations",
  newConversation: "New conversation",
  details: "Show or hide details",
  close: "Close a menu or dialog",
  bang: "Run a command in the sandbox; the model does not see it",
  question: "Go to the pending question, from an empty message box",
  allow: "Allow, while the question has the focus",
  deny: "Deny, while the question has the focus",
  editWaiting: "Edit the last queued message while a turn runs",
}

export type HelpWord = keyof typeof en

const zh: Record<HelpWord, string> = {
  title: "命令与快捷键",
  keys: "按键",
  send: "发送消息",
  newline: "换行",
  recall: "在空输入框中找回之前发送的内容",
  search: "搜索对话",
  newConversation: "新对话",
  details: "显示或隐藏详情",
  close: "关闭菜单或对话框",
  bang: "在沙箱中运行命令，模型看不到",
  question: "在空输入框中跳到等待你决定的问题",
  allow: "允许（问题处于焦点时）",
  deny: "拒绝（问题处于焦点时）",
  editWaiting: "回合运行时，修改最后一条排队中的消息",
}

export const helpWords: Table<HelpWord> = { en, zh }
