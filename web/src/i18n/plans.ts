import type { Table } from "./table"

const en = {
  title: "A plan for you to approve",
  steps: "Steps",
  step: "Step {{n}}",
  up: "Move step {{n}} up",
  down: "Move step {{n}} down",
  remove: "Remove step {{n}}",
  add: "Add a step",
  questions: "Open questions",
  note: "A note (optional)",
  approve: "Approve",
  approveEdited: "Approve as edited",
  back: "Send back",
  approved: "Plan approved by {{who}}",
  edited: "Plan edited and approved by {{who}}",
  sentBack: "Plan sent back by {{who}}",
  late: "No answer in time; the plan is not approved",
  plan: "Plan",
  progress: "{{done}} of {{total}} steps done",
  done: "done",
  open: "to do",
  first: "Plan first",
  firstText: "Before anything is changed, a plan waits for your approval.",
}

export type PlanWord = keyof typeof en

const zh: Record<PlanWord, string> = {
  title: "有计划待你批准",
  steps: "步骤",
  step: "第 {{n}} 步",
  up: "上移第 {{n}} 步",
  down: "下移第 {{n}} 步",
  remove: "删除第 {{n}} 步",
  add: "添加步骤",
  questions: "待确认的问题",
  note: "意见（可选）",
  approve: "批准",
  approveEdited: "按修改后的计划批准",
  back: "退回",
  approved: "{{who}} 已批准计划",
  edited: "{{who}} 修改并批准了计划",
  sentBack: "{{who}} 退回了计划",
  late: "无人及时答复，计划未获批准",
  plan: "计划",
  progress: "已完成 {{done}}/{{total}} 步",
  done: "已完成",
  open: "待办",
  first: "先制定计划",
  firstText: "任何改动之前，都会先提交计划等待你批准。",
}

export const planWords: Table<PlanWord> = { en, zh }
