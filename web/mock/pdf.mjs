// Pages of the mock's PDFs: it reads none, and draws each as a picture of one colour.
import { crc32, deflateSync } from "node:zlib"

import { HttpProblem } from "./http.mjs"

/** Answers with a page, as `files/page` of the server. */
export function sendPdfPage(response, content, page) {
  const pages = content.toString("latin1").match(/\/Type *\/Page\b/g)?.length ?? 0
  if (!content.toString("latin1").startsWith("%PDF-") || pages === 0) throw new HttpProblem(400, "the PDF is broken, or none")
  if (page > pages) throw new HttpProblem(400, `there is no page ${page}: the PDF ends with page ${pages}`)
  response.writeHead(200, { "Content-Type": "image/png", "X-Pages": pages, "Cache-Control": "private, no-cache" }).end(sheet(210, 297, 255 - (page % 8) * 16))
}

/** A PNG file of one grey. */
function sheet(width, height, grey) {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8 // bits of a pixel, which is grey
  const rows = Buffer.alloc((width + 1) * height, grey)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0 // no filter
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))])
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}
