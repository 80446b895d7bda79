import type { Table } from "./table"

const en = {
  up: "Helpful",
  down: "Not helpful",
  removeUp: "Remove rating: helpful",
  removeDown: "Remove rating: not helpful",
  comment: "Comment (optional)",
  commentHint: "Administrators can read it.",
  send: "Send feedback",
  thanks: "Thank you for the feedback.",
  failed: "The rating was not saved: {{reason}}",
}

export type RatingsWord = keyof typeof en

export const ratingsWords: Table<RatingsWord> = {
  en,
  zh: {
    up: "有帮助",
    down: "没有帮助",
    removeUp: "取消评价：有帮助",
    removeDown: "取消评价：没有帮助",
    comment: "备注（可选）",
    commentHint: "管理员可以查看。",
    send: "提交反馈",
    thanks: "感谢反馈。",
    failed: "评价未保存：{{reason}}",
  },
}
