/** Puts a text where the caret of the message is. */
type Take = (text: string) => void

let editor: Take | undefined

/** Lets the editor take what is inserted, until the returned function is called. */
export function takeInsertions(take: Take): () => void {
  editor = take
  return () => {
    if (editor === take) editor = undefined
  }
}

/** Puts what was said where the caret of the message is, and the caret behind it. */
export function insert(said: string): void {
  if (editor) {
    editor(said)
    return
  }
  const plain = document.querySelector<HTMLTextAreaElement>("textarea#message") // until the editor is loaded
  if (!plain) return
  const { selectionStart, selectionEnd, value } = plain
  plain.focus()
  plain.setRangeText(fitted(value.slice(0, selectionStart), said, value.slice(selectionEnd)), selectionStart, selectionEnd, "end")
  plain.dispatchEvent(new InputEvent("input", { bubbles: true }))
}

/** Scripts without spaces, spaces, and the edges of a text: no space is written beside them. */
const close = String.raw`[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]`
const closeEnd = new RegExp(`(?:^|${close})$`, "u")
const closeStart = new RegExp(`^(?:$|${close})`, "u")
const closing = /^[.,;:!?)]/

/** A text with the spaces that it needs between two others. */
export function fitted(before: string, text: string, after: string): string {
  const ahead = closeEnd.test(before) || closeStart.test(text) ? "" : " "
  const behind = closeEnd.test(text) || closeStart.test(after) || closing.test(after) ? "" : " "
  return ahead + text + behind
}
