import { QueryObserver } from "@tanstack/react-query"
import { afterEach, expect, test } from "vitest"

import { queryClient, reread } from "./query-client"

afterEach(() => queryClient.clear())

test("what changed while a first answer was on its way is read after it", async () => {
  const answers: ((value: string) => void)[] = []
  const queryFn = () => new Promise<string>((resolve) => answers.push(resolve))
  const observer = new QueryObserver(queryClient, { queryKey: ["thing", "a"], queryFn })
  const unsubscribe = observer.subscribe(() => undefined)
  const first = reread(["thing"])
  const second = reread(["thing"])
  expect(answers).toHaveLength(1)
  answers[0]?.("before")
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.("after")
  await Promise.all([first, second])
  expect(observer.getCurrentResult().data).toBe("after")
  expect(answers).toHaveLength(2)
  unsubscribe()
})
