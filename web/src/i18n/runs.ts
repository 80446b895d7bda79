import type { Table } from "./table"

const en = {
  lead: "Every message, job and task is a run in Temporal. These lists open there, with what each run was asked, what it waits for, what it cost and why it failed.",
  lists: "Lists",
  people: "Today by user",
  models: "Today by model",
  failed: "Failed",
  waiting: "Waiting for something",
  running: "Running now",
  today: "Begun today",
  nobody: "No turns today (UTC).",
  none: "No Temporal UI is set up here.",
}

export type RunsWord = keyof typeof en

export const runsWords: Table<RunsWord> = {
  en,
  zh: {
    lead: "每条消息、每个任务都是 Temporal 中的一次运行。这些列表在那里打开，显示每次运行的请求、等待的对象、费用和失败原因。",
    lists: "列表",
    people: "今天，按人员",
    models: "今天，按模型",
    failed: "失败",
    waiting: "正在等待",
    running: "正在运行",
    today: "今天开始",
    nobody: "今天（UTC）还没有人发起对话轮次。",
    none: "此处未设置 Temporal 界面。",
  },
}
