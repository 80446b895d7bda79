import type { Table } from "./table"

const en = {
  title: "Notices of long turns",
  lead: "Get a message on a platform when a turn started here or in a terminal has ended, or needs your answer. Browser notifications are in the account menu.",
  where: "Notify me",
  nowhere: "Nowhere",
  chat: "{{channel}}, {{peer}}",
  seconds: "From how many seconds on",
  range: "From 10 seconds to a day.",
  none: "Link an account on a platform first, and write to the bot there.",
  save: "Save",
  saved: "Saved",
}

export type TurnNoticeWord = keyof typeof en

const zh: Record<TurnNoticeWord, string> = {
  title: "长回合通知",
  lead: "你在此页面或终端开始的回合结束，或需要你答复时，可以在聊天平台上通知你。本浏览器的通知在账号菜单中设置。",
  where: "通知到",
  nowhere: "不通知",
  chat: "{{channel}}，{{peer}}",
  seconds: "从多少秒起",
  range: "10 秒到一天。",
  none: "请先关联聊天平台上的账号，并在那里给机器人发一条消息。",
  save: "保存",
  saved: "已保存",
}

export const turnNoticeWords: Table<TurnNoticeWord> = { en, zh }
