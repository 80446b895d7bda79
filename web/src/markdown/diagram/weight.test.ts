import { expect, test } from "vitest"

import { isHeavy, LONGEST } from "./weight"

test.each([
  ["blank space", "block-beta\n  space:99999999"],
  ["blank space, many times", `block-beta\n${"space:99 ".repeat(50)}`],
  ["columns", "block\ncolumns 100000000"],
  ["a wide block", "block-beta\n a:1000000000"],
  ["a wide block of another spelling", "  BLOCK-beta\n a[\"x\"]: 1000000000"],
  ["bits", "packet\n0-99999999: \"x\""],
  ["bits, added", `packet-beta\n${"+4000: \"x\"\n".repeat(10)}`],
  ["ticks", "radar-beta\naxis a,b,c\ncurve x{1,2,3}\nticks 999999999"],
  ["years", "gantt\ndateFormat YYYY-MM-DD\nexcludes weekends\na :2024-01-01, 99999-01-01"],
  ["a century without weekends", `gantt\nexcludes weekends\n${"a :1900-01-01, 2024-01-01\n".repeat(10)}`],
  ["durations", "gantt\nexcludes weekends\na :2024-01-01, 99999999d"],
  ["statements", `graph LR\n${"a-->b\n".repeat(700)}`],
  ["statements on one line", `graph LR;${"a-->b;".repeat(700)}`],
  ["parts in parts", `graph LR\n${"subgraph a\n".repeat(50)}`],
  ["loops in loops", `sequenceDiagram\n${"loop x\n".repeat(50)}`],
  ["states in states", `stateDiagram-v2\n${"state a {\n".repeat(50)}`],
  ["colours without end", "%%{init: {\"themeVariables\": {\"THEME_COLOR_LIMIT\": 999999999}}}%%\ngraph LR\na-->b"],
  ["colours without end, in one exponent", "%%{init: {\"themeVariables\": {\"THEME_COLOR_LIMIT\": 1e9}}}%%\ngraph LR\na-->b"],
  ["settings without an end", "graph LR\na-->b\n%%{init: {\"fontSize\": 99999"],
  ["settings above", "---\nconfig:\n  packet:\n    bitsPerRow: 10000000\n---\npacket\n0-1: \"x\""],
  ["a number with underscores above", "---\nconfig:\n  fontSize: 1_000_000\n---\ngraph LR\na-->b"],
  ["what stands for itself above", "---\na: &a [x, x]\nb: &b [*a, *a]\n---\ngraph LR\na-->b"],
  ["length", `graph LR\n${"a".repeat(LONGEST)}`],
])("%s is refused", (_, source) => {
  expect(isHeavy(source)).toBe(true)
})

test.each([
  ["a flowchart", "graph TD\nA[\"a: 1000000\"] -->|yes| B{b}\nB --> C & D\nsubgraph x\nC\nend"],
  ["colours", "%%{init: {\"theme\": \"base\", \"themeVariables\": {\"primaryColor\": \"#112233\", \"lineColor\": \"#aabbccdd\"}}}%%\ngraph LR\na-->b"],
  ["settings above", "---\ntitle: Quarter 3\nconfig:\n  theme: forest\n---\ngraph LR\na-->b"],
  ["blocks", "block-beta\ncolumns 3\na:2 space:1 b\nblock:group:2\nc d\nend"],
  ["a packet", "packet-beta\n0-15: \"Source Port\"\n16-31: \"Destination Port\"\n32-63: \"Sequence Number\""],
  ["a project", `gantt\ndateFormat YYYY-MM-DD\nexcludes weekends\n${"a :2024-01-01, 2024-12-31\nb :after a, 30d\n".repeat(20)}`],
  ["a project of a decade", "gantt\ndateFormat YYYY-MM-DD\na :2015-01-01, 2025-12-31\nb :10y"],
  ["a pie", "pie\n\"a\" : 4200000\n\"b\" : 1000000000"],
  ["a chart", "xychart-beta\nx-axis [jan, feb]\ny-axis \"Revenue\" 4000 --> 11000000\nbar [5000000, 6000000]"],
  ["a radar", "radar-beta\naxis a, b, c\ncurve x{85000, 90000, 80000}\nticks 5\nmax 100000"],
  ["a sequence", "sequenceDiagram\nA->>B: send 1000000000 bytes\nloop every minute\nB-->>A: ok\nend"],
  ["a timeline", "timeline\n2000 : a\n2024 : b\n99999 : c"],
  ["nothing", ""],
])("%s is drawn", (_, source) => {
  expect(isHeavy(source)).toBe(false)
})
