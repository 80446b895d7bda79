import type { Table } from "./table"

const en = {
  title: "Subagents",
  queued: "about to begin",
  running: "working",
  idle: "waits for more",
  unloaded: "unloaded",
  done: "done",
  stopped: "stopped",
  failed: "failed",
  lost: "lost",
  asks: "asks for permission",
  figures: "{{steps}} steps · {{tokens}} tokens",
  figuresOne: "1 step · {{tokens}} tokens",
  stop: "Stop {{name}}",
  up: "The conversation above",
  works: "Subagent {{name}}, asked by",
  member: "group chat",
  background: "in the background",
  answered: "This subagent answers once, and has answered: you can read its conversation, but not write to it.",
}

export type SubagentWord = keyof typeof en

export const subagentWords: Table<SubagentWord> = {
  en,
  zh: {
    title: "子代理",
    queued: "即将开始",
    running: "工作中",
    idle: "等待新任务",
    unloaded: "已卸载",
    done: "已完成",
    stopped: "已停止",
    failed: "失败",
    lost: "已丢失",
    asks: "请求许可",
    figures: "{{steps}} 步 · {{tokens}} token",
    figuresOne: "1 步 · {{tokens}} token",
    stop: "停止 {{name}}",
    up: "上级对话",
    works: "子代理 {{name}}，委派自",
    member: "群聊",
    background: "后台",
    answered: "该子代理只回答一次，现已回答：其对话只能阅读，不能再写。",
  },
}
