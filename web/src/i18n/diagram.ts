import type { Table } from "./table"

const en = {
  region: "Diagram",
  alt: "Diagram; use the button to show its source",
  source: "Show the source",
  show: "Show the diagram",
  wrong: "The diagram cannot be drawn: {{problem}}",
  large: "This diagram is too large to draw.",
  slow: "This diagram took too long to draw.",
  anyway: "Draw anyway",
}

export type DiagramWord = keyof typeof en

const zh: Record<DiagramWord, string> = {
  region: "图表",
  alt: "图表，可查看其源代码",
  source: "查看源代码",
  show: "查看图表",
  wrong: "无法绘制图表：{{problem}}",
  large: "此图表过大，无法绘制。",
  slow: "此图表绘制时间过长。",
  anyway: "仍要绘制",
}

export const diagramWords: Table<DiagramWord> = { en, zh }
