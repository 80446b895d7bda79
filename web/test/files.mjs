// Claims about the files where a conversation works: what an answer shows of them, the dialog with its tree and editor, the @ of the composer.
import assert from "node:assert/strict"

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

/** Runs a command in a conversation of its own, has the model say something, and waits for the end of the turn. */
async function after(v, command, end) {
  await v.begin(`call Shell ${JSON.stringify({ command })}\nsay ${end}`)
  await v.sees("Answered", v.turn)
}

/** Runs another one in the same conversation. */
async function thenRun(v, command, end) {
  await v.write(`call Shell ${JSON.stringify({ command })}\nsay ${end}`)
  await v.page.keyboard.press("Enter")
  await v.turn.filter({ hasText: end }).waitFor()
  await v.sees("Answered", v.turn)
}

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 860 }

const dialog = (v) => v.page.getByRole("dialog", { name: "Files" })
const editor = (v) => dialog(v).getByRole("textbox", { name: /Content of/ })

async function openFiles(v) {
  await v.page.locator("main header").getByRole("button", { name: "Files", exact: true }).click()
  await dialog(v).waitFor()
}

/** Chooses something from the menu of an entry of the tree. */
async function from(v, entry, item) {
  await dialog(v).getByRole("button", { name: `More about ${entry}`, exact: true }).click()
  await v.page.getByRole("menuitem", { name: item }).click()
}

export const server = {
  "a picture of the workspace stands in the answer that shows it, and a file that it links opens": async (v) => {
    await v.page.goto(v.url)
    await v.ready()
    await after(v, `mkdir -p f1/out && echo ${DOT} | base64 -d > "f1/out/a dot.png" && printf 'name,n\\none,1\\n' > f1/t.csv && echo hello > f1/notes.txt`, "![the dot](<f1/out/a dot.png>), [the notes](f1/notes.txt) and <<FILE:f1/t.csv>>.")
    const picture = v.turn.getByRole("img", { name: "the dot" })
    await picture.waitFor()
    await v.page.waitForFunction(() => [...document.images].some((image) => image.alt === "the dot" && image.naturalWidth === 1))
    await v.turn.getByRole("link", { name: "t.csv" }).waitFor()
    await v.turn.getByRole("button", { name: "the notes" }).click()
    await editor(v).getByText("hello").waitFor()
    await v.inspect("f1-file-of-an-answer")
    await v.page.keyboard.press("Escape")
    await dialog(v).waitFor({ state: "detached" })
  },

  "a file is changed in the page, and a change of the agent's is never written over unasked": async (v) => {
    await after(v, "mkdir -p f2 && printf 'package main\\n' > f2/main.go", "it is there")
    await openFiles(v)
    await dialog(v).getByRole("button", { name: "f2", exact: true }).click()
    await dialog(v).getByRole("button", { name: "main.go", exact: true }).click()
    await editor(v).getByText("package main").click()
    await v.page.keyboard.press("Control+End")
    await v.page.keyboard.type("// mine")
    await dialog(v).getByText("not saved").waitFor()
    await v.inspect("f2-editor")
    await v.page.keyboard.press("Control+s")
    await v.page.getByText("main.go was saved.").first().waitFor()
    await dialog(v).getByText("not saved").waitFor({ state: "detached" })
    await v.page.keyboard.press("Escape")
    await thenRun(v, "cat f2/main.go && echo '// theirs' >> f2/main.go", "both are there")

    await openFiles(v)
    await dialog(v).getByRole("button", { name: "f2", exact: true }).click()
    await dialog(v).getByRole("button", { name: "main.go", exact: true }).click()
    await editor(v).getByText("// mine// theirs").or(editor(v).getByText("// theirs")).first().click()
    await thenByApi(v, "f2/main.go", "changed by something else\n")
    await v.page.keyboard.press("Control+End")
    await v.page.keyboard.type("// again")
    await v.page.keyboard.press("Control+s")
    await dialog(v).getByText(/was changed by something else since you opened it/).waitFor()
    await v.page.keyboard.press("Escape")
    await v.page.getByRole("alertdialog", { name: "Discard your changes?" }).getByRole("button", { name: "Cancel" }).click()
    await dialog(v).getByRole("button", { name: "Load what is there" }).click()
    await editor(v).getByText("changed by something else").waitFor()
    await v.page.keyboard.press("Escape")
    await dialog(v).waitFor({ state: "detached" })
  },

  "a file keeps the ends of its lines when it is changed in the page": async (v) => {
    await after(v, "mkdir -p f6 && printf 'a\\r\\nb\\r\\n' > f6/dos.txt && printf 'a\\r\\nb\\n' > f6/both.txt", "two files")
    await openFiles(v)
    await dialog(v).getByRole("button", { name: "f6", exact: true }).click()
    for (const name of ["dos.txt", "both.txt"]) {
      await dialog(v).getByRole("button", { name, exact: true }).click()
      await dialog(v).getByRole("textbox", { name: `Content of ${name}` }).click()
      await v.page.keyboard.press("Control+End")
      await v.page.keyboard.type("c")
      await v.page.keyboard.press("Control+s")
      await v.page.getByText(`${name} was saved.`).first().waitFor()
    }
    const text = async (name) => (await v.api(`/api/sessions/${encodeURIComponent(keyOf(v))}/files/text?path=f6/${name}`)).text
    assert.equal(await text("dos.txt"), "a\r\nb\r\nc")
    assert.equal(await text("both.txt"), "a\r\nb\nc")
    await v.page.setViewportSize(phone)
    await v.inspect("232-editor-phone")
    await dialog(v).getByRole("button", { name: "Back to the folders" }).click()
    await dialog(v).getByRole("button", { name: "f6", exact: true }).waitFor()
    await v.inspect("233-files-phone")
    await v.page.setViewportSize(desk)
    await v.page.keyboard.press("Escape")
  },

  "files and folders are made, renamed and deleted in the tree": async (v) => {
    await after(v, "mkdir -p f3/old && echo x > f3/old/a.txt", "a folder")
    await openFiles(v)
    await from(v, "f3", "New folder…")
    await v.page.getByRole("textbox", { name: "Name" }).fill("new")
    await v.page.getByRole("button", { name: "New folder", exact: true }).click()
    await dialog(v).getByRole("button", { name: "f3", exact: true }).click()
    await from(v, "new", "New file…")
    await v.page.getByRole("textbox", { name: "Name" }).fill("b.txt")
    await v.page.getByRole("button", { name: "New file", exact: true }).click()
    await editor(v).waitFor()
    await dialog(v).getByRole("button", { name: "old", exact: true }).click()
    await from(v, "a.txt", "Rename or move…")
    const path = v.page.getByRole("textbox", { name: "Path" })
    await path.fill((await path.inputValue()).replace("old/a.txt", "new/b.txt"))
    await v.page.getByRole("button", { name: "Rename or move", exact: true }).click()
    await v.page.getByRole("dialog", { name: "Rename or move" }).getByText(/exists already/).waitFor()
    await path.fill((await path.inputValue()).replace("b.txt", "c.txt"))
    await v.page.getByRole("button", { name: "Rename or move", exact: true }).click()
    await v.page.getByRole("dialog", { name: "Rename or move" }).waitFor({ state: "detached" })
    await from(v, "old", "Delete…")
    await v.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
    await dialog(v).getByRole("button", { name: "old", exact: true }).waitFor({ state: "detached" })
    await v.inspect("f3-tree")
    const { entries } = await v.api(`/api/sessions/${encodeURIComponent(keyOf(v))}/files?path=f3/new`)
    assert.deepEqual(entries.map(({ name }) => name), ["b.txt", "c.txt"])
    await v.page.keyboard.press("Escape")
  },

  "the tree of files shows what a running turn makes, by itself": async (v) => {
    await v.begin(`call Shell ${JSON.stringify({ command: "mkdir f8; until [ -e f8/begin ]; do sleep 0.1; done; mkdir f8/made; until [ -e f8/end ]; do sleep 0.1; done; mkdir f8/last" })}\nsay over`)
    await openFiles(v)
    await dialog(v).getByRole("button", { name: "f8", exact: true }).click()
    for (const [name, made] of [["begin", "made"], ["end", "last"]]) {
      await from(v, "f8", "New file…")
      await v.page.getByRole("textbox", { name: "Name" }).fill(name)
      await v.page.getByRole("button", { name: "New file", exact: true }).click()
      await dialog(v).getByRole("button", { name: made, exact: true }).waitFor()
    }
    await v.page.keyboard.press("Escape")
    await v.sees("Answered", v.turn)
  },

  "what a turn changed in files is shown with its call and in its details": async (v) => {
    const file = { path: "f5/plan.txt", content: "one\ntwo\n" }
    await v.begin(`call FileCreate ${JSON.stringify(file)}\ncall FileReplace ${JSON.stringify({ path: "f5/plan.txt", old_string: "two", new_string: "three" })}\nsay planned`)
    await v.sees("planned", v.turn)
    await v.turn.getByRole("button", { name: /FileReplace/ }).click()
    await v.turn.getByRole("group", { name: "Changes" }).getByText("+three").waitFor()
    await v.page.locator("main header").getByRole("button", { name: "Details" }).click()
    const details = v.page.getByRole("complementary")
    await details.locator("summary", { hasText: "f5/plan.txt" }).click()
    await details.getByRole("group", { name: "Changes of f5/plan.txt" }).nth(1).getByText("-two").waitFor()
    await v.inspect("f5-changed")
    await details.getByRole("button", { name: "Open f5/plan.txt" }).click()
    await editor(v).getByText("three").waitFor()
    await v.page.keyboard.press("Escape")
    await v.page.getByRole("button", { name: "Hide details" }).click()
  },

  "a table is shown as one, and a file behind an @ goes with the message": async (v) => {
    await after(v, "mkdir -p f4 && printf 'city,n\\nWien,1\\n' > f4/cities.csv", "a table")
    await openFiles(v)
    await dialog(v).getByRole("button", { name: "f4", exact: true }).click()
    await dialog(v).getByRole("button", { name: "cities.csv", exact: true }).click()
    await dialog(v).getByRole("cell", { name: "Wien" }).waitFor()
    await v.inspect("f4-table")
    await v.page.keyboard.press("Escape")
    await v.write("look at @f4/CIT")
    await v.page.getByRole("option", { name: "f4/cities.csv" }).waitFor()
    await v.page.keyboard.press("Enter")
    await v.page.waitForFunction(() => /\[file: \/.*f4\/cities\.csv\]/.test(document.querySelector("#message")?.textContent ?? ""))
    await v.page.keyboard.press("Control+a")
    await v.page.keyboard.press("Backspace")
  },
}

const keyOf = (v) => decodeURIComponent(new URL(v.page.url()).pathname.split("/").at(-1))

/** Writes a file as another program would, over the API. */
async function thenByApi(v, path, text) {
  const files = `/api/sessions/${encodeURIComponent(keyOf(v))}/files/text`
  const { sha256 } = await v.api(`${files}?path=${encodeURIComponent(path)}`)
  const answer = await v.page.request.put(v.url + files, { headers: await v.headers(), data: { path, text, before: sha256 } })
  assert.equal(answer.status(), 200)
}
