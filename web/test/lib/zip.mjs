import { crc32 } from "node:zlib"

/** A zip archive of files, by name, which are not packed. */
export const zip = (files) => {
  const locals = []
  const heads = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text)
    const path = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt32LE(crc32(data), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(data.length, 18)
    fields.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, path, data])
    const more = Buffer.alloc(14)
    more.writeUInt32LE(at, 10)
    heads.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), fields, more, path]))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(heads)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(heads.length, 4)
  end.writeUInt16LE(heads.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...locals, directory, Buffer.from("PK\x05\x06"), end])
}
