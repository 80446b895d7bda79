/** A tar file of texts by their names. */
export function tar(files) {
  const blocks = []
  for (const [name, { text, mode = 0o644 }] of Object.entries(files)) {
    const data = Buffer.from(text)
    const head = Buffer.alloc(512)
    head.write(name, 0)
    head.write(mode.toString(8).padStart(7, "0"), 100)
    head.write("0000000", 108)
    head.write("0000000", 116)
    head.write(data.length.toString(8).padStart(11, "0"), 124)
    head.write("00000000000", 136)
    head.write("        0", 148)
    head.write("ustar\u000000", 257)
    head.write(`${head.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\u0000 `, 148)
    blocks.push(head, data, Buffer.alloc((512 - (data.length % 512)) % 512))
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
