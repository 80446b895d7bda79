import type { Table } from "./table"

const en = {
  subagent: "subagent",
  "group chat": "group chat",
  "cron job": "job",
  waiting: "about to begin",
  working: "working",
  speaking: "under way",
  stop: "Stop {{name}}",
  show: "Show in details",
}

export type WorkWord = keyof typeof en

export const workWords: Table<WorkWord> = {
  en,
  zh: {
    subagent: "子代理",
    "group chat": "群聊",
    "cron job": "定时任务",
    waiting: "即将开始",
    working: "工作中",
    speaking: "进行中",
    stop: "停止 {{name}}",
    show: "在详情中查看",
  },
}
