// Claims about PDFs, which stand page by page where an answer or the panel of files shows them.
import assert from "node:assert/strict"

/** A PDF with so many pages. It has no table of its objects, which readers make anew. */
function pdf(pages) {
  const objects = ["<</Type/Catalog/Pages 2 0 R>>", `<</Type/Pages/Count ${pages}/Kids[${Array.from({ length: pages }, (_, n) => `${4 + 2 * n} 0 R`).join(" ")}]>>`, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
  for (let n = 0; n < pages; n++) {
    const drawn = `BT /F1 48 Tf 72 700 Td (This is page ${n + 1}.) Tj ET`
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + 2 * n} 0 R>>`, `<</Length ${drawn.length}>>stream\n${drawn}\nendstream`)
  }
  const body = objects.map((object, n) => `${n + 1} 0 obj\n${object}\nendobj\n`).join("")
  return Buffer.from(`%PDF-1.7\n${body}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\n%%EOF\n`).toString("base64")
}

/** Puts files into the workspace, and has the model say something in a conversation of its own. */
async function withFiles(v, files, words) {
  const command = Object.entries(files).map(([path, content]) => `echo ${content} | base64 -d > ${path}`)
  await v.page.goto(v.url)
  await v.ready()
  await v.begin(`call Shell ${JSON.stringify({ command: ["mkdir -p p1", ...command].join(" && ") })}\nsay ${words}`)
}

const viewer = (where, name) => where.getByRole("group", { name, exact: true })

/** Waits until the picture of a page is there. */
const drawn = async (v, where, label) => {
  await where.getByRole("img", { name: label }).waitFor()
  await v.page.waitForFunction((label) => [...document.images].some((image) => image.alt === label && image.naturalWidth > 100 && !image.closest("[aria-busy=true]")), label)
}

export const mock = {
  "a page that the server cannot draw for now is asked for again, and the pages before it stay": async (v) => {
    await withFiles(v, { "p1/busy.pdf": pdf(2) }, "![busy](p1/busy.pdf)")
    const busy = viewer(v.turn, "busy")
    await drawn(v, busy, "busy, page 1")
    let refuses = true
    await v.page.route(/files\/page\?.*page=2/, (route) =>
      refuses ? route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ detail: "the server is busy" }) }) : route.continue(),
    )
    const problem = busy.getByText("busy cannot be shown: the server is busy")
    await busy.getByRole("button", { name: "Next page" }).click()
    await problem.waitFor()
    await busy.getByRole("button", { name: "Previous page" }).click()
    await drawn(v, busy, "busy, page 1")
    await busy.getByRole("button", { name: "Next page" }).click()
    await problem.waitFor()
    refuses = false
    await busy.getByRole("button", { name: "Try again" }).click()
    await drawn(v, busy, "busy, page 2")
    await v.page.unroute(/files\/page\?.*page=2/)
  },

  "the panel of files shows a PDF page by page": async (v) => {
    await withFiles(v, { "p1/paper.pdf": pdf(2) }, "[the paper](p1/paper.pdf)")
    await v.turn.getByRole("button", { name: "the paper" }).click()
    const dialog = v.page.getByRole("dialog", { name: "Files" })
    const paper = viewer(dialog, "paper.pdf")
    await drawn(v, paper, "paper.pdf, page 1")
    await paper.getByRole("button", { name: "Next page" }).click()
    await paper.getByText("Page 2 of 2").waitFor()
    await drawn(v, paper, "paper.pdf, page 2")
    await dialog.getByRole("link", { name: "Download" }).waitFor()
    await v.inspect("p1-pdf-of-the-panel")
    await v.page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
  },
}

export const server = {
  "a PDF of the workspace stands in the answer that shows it, page by page": async (v) => {
    await withFiles(v, { "p1/plan.pdf": pdf(3) }, "![the plan](p1/plan.pdf)")
    const plan = viewer(v.turn, "the plan")
    await plan.getByText("Page 1 of 3").waitFor()
    await drawn(v, plan, "the plan, page 1")
    assert.equal(await plan.getByRole("button", { name: "Previous page" }).getAttribute("aria-disabled"), "true")
    await v.inspect("p1-pdf-of-an-answer")
    await plan.getByRole("button", { name: "Next page" }).click()
    await plan.getByText("Page 2 of 3").waitFor()
    await drawn(v, plan, "the plan, page 2")
    await v.page.keyboard.press("ArrowRight")
    await plan.getByText("Page 3 of 3").waitFor()
    await v.page.keyboard.press("ArrowRight")
    await drawn(v, plan, "the plan, page 3")
    await v.page.keyboard.press("Home")
    await plan.getByText("Page 1 of 3").waitFor()
    await plan.getByRole("link", { name: "plan.pdf" }).waitFor()
    const [tab] = await Promise.all([v.page.context().waitForEvent("page"), plan.getByRole("link", { name: "Open in a new tab" }).click()])
    assert.match(tab.url(), /\/files\/|^about:blank$|^$/)
    await tab.close()
  },

  "a PDF that cannot be drawn says why and is downloaded instead": async (v) => {
    await withFiles(v, { "p1/broken.pdf": Buffer.from("%PDF-1.7\nnothing of it").toString("base64") }, "<<FILE:p1/broken.pdf>>")
    const broken = viewer(v.turn, "broken.pdf")
    await broken.getByText("broken.pdf cannot be shown: the PDF is broken, or none").waitFor()
    assert.equal(await broken.getByRole("button").count(), 0, "there are no pages to turn")
    const [download] = await Promise.all([v.page.waitForEvent("download"), broken.getByRole("link", { name: "broken.pdf", exact: true }).click()])
    assert.equal(download.suggestedFilename(), "broken.pdf")
    await v.inspect("p1-broken-pdf")
  },
}
