import type { Table } from "./table"

const en = {
  on: "Notify me of long turns",
  off: "No notifications of long turns",
  refused: "The browser does not let this page notify you. Its settings for this site can allow it.",
  untitled: "New conversation",
  done: "The answer is there, after {{time}}.",
  failed: "There is no answer: the turn ended with a fault, after {{time}}.",
}

export type NotifyWord = keyof typeof en

const zh: Record<NotifyWord, string> = {
  on: "长回合结束时通知我",
  off: "不再通知长回合",
  refused: "浏览器不允许此页面发送通知，可在浏览器的网站设置中允许。",
  untitled: "新对话",
  done: "回答已完成，用时 {{time}}。",
  failed: "没有回答：回合在 {{time}} 后出错结束。",
}

export const notifyWords: Table<NotifyWord> = { en, zh }
