import type { Table } from "./table"

const en = {
  title: "Not delivered",
  none: "Nothing that was written in the last seven days is missing on a platform.",
  message: "Message",
  question: "Question",
  card: "Card",
  uncertain: "may have arrived",
  failed: "refused by the platform",
  expired: "given up: too old",
  waiting: "waiting, tried again",
}

export type UndeliveredWord = keyof typeof en

export const undeliveredWords: Table<UndeliveredWord> = {
  en,
  zh: {
    title: "未送达",
    none: "最近七天写的内容都已送达平台。",
    message: "消息",
    question: "提问",
    card: "卡片",
    uncertain: "可能已送达",
    failed: "平台拒绝",
    expired: "已放弃：过期",
    waiting: "等待重试",
  },
}
