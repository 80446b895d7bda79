/** What a line does not show, or shows elsewhere: control and format characters, other spaces, and combining marks. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{M}]|(?! )\p{Zs}/gu

/** A word of a stranger, so that nothing in it can be hidden or taken for two words: plain ones as they are, others in quotes, unseen characters by number. */
export function quote(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word
  return JSON.stringify(word).replace(UNSEEN, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`)
}
