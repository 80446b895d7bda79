// What must be seen of the pages that an answer comes from. Each name is a claim.
import assert from "node:assert/strict"

import { call } from "./lib/others.mjs"
import { removeKeys, services } from "./lib/services.mjs"

const chips = (v) => v.turn.getByRole("list", { name: "Sources" })

export const server = {
  "an answer shows the pages of the web that it comes from: those that it names, else all that were found": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    const web = await services("no key")
    await removeKeys(v)
    try {
      await call(v, "PUT", "/api/keys/searxng", { shared: true, base_url: web.url, revision: 0 })
      await v.begin('call WebSearch {"query":"tomatoes","max_results":8}\nsay They need the sun.')
      await chips(v).getByRole("link").first().waitFor()
      assert.equal(await chips(v).getByRole("link").count(), 6)
      const first = chips(v).getByRole("link", { name: "garden1.example Tomatoes, part 1" })
      assert.deepEqual([await first.getAttribute("href"), await first.getAttribute("rel"), await first.getAttribute("target")], ["https://www.garden1.example/tomatoes", "noreferrer", "_blank"])
      await chips(v).getByRole("button", { name: "2 more" }).click()
      assert.equal(await chips(v).getByRole("link").count(), 8)
      await v.inspect("195-sources")
      await v.page.reload()
      await chips(v).getByRole("button", { name: "2 more" }).waitFor()

      await v.begin('call WebSearch {"query":"tomatoes","max_results":8}\nsay They need the sun: https://www.garden3.example/tomatoes')
      await chips(v).getByRole("link").first().waitFor()
      assert.deepEqual(await chips(v).getByRole("link").allInnerTexts(), ["garden3.example\nTomatoes, part 3"])
    } finally {
      await removeKeys(v)
      await web.close()
    }
  },
}
