// Offsets in the feed count bytes of UTF-8, strings here count UTF-16 units.

/** Length of a text in bytes of UTF-8. */
export function byteLength(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      bytes += 4
      i++ // the second half of a pair
    } else bytes += 3
  }
  return bytes
}

/** A text without its first `bytes` bytes; a character that is cut in the middle goes with them. */
export function dropBytes(text: string, bytes: number): string {
  let i = 0
  for (let dropped = 0; i < text.length && dropped < bytes; ) {
    const width = (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1
    dropped += byteLength(text.slice(i, i + width))
    i += width
  }
  return text.slice(i)
}
