import { expect, test } from "vitest"

import { showFiles } from "./marks"

test("a mark for a file becomes what shows it", () => {
  expect(showFiles("here: <<FILE:out/a b.png>>.")).toBe("here: ![a b.png](<out/a b.png>).")
  expect(showFiles("<<FILE:>> <<FILE:a\nb>> a << b >> c")).toBe("<<FILE:>> <<FILE:a\nb>> a << b >> c")
})
