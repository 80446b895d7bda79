import { expect, test } from "vitest"

import { changedFiles } from "./file-changes"

test("what calls changed is told file by file, in the order of their first change", () => {
  const one = "--- a.go\n+++ a.go\n@@ -1 +1 @@\n-x\n+y\n"
  const two = "--- b.go\n+++ b.go\n@@ -0,0 +1,2 @@\n+1\n+-2\n"
  expect(changedFiles([{ diff: one }, {}, { diff: two }, { diff: one }])).toEqual([
    { name: "a.go", diffs: [one, one], added: 2, removed: 2 },
    { name: "b.go", diffs: [two], added: 2, removed: 0 },
  ])
})
