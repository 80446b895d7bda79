// A realtime service for the browser test, in the current form of OpenAI's Realtime API
// (https://platform.openai.com/docs/api-reference/realtime-server-events). The transcript is always SAID, and the answer ANSWER. The WebSocket
// protocol is that of RFC 6455, as far as the server speaks it: text frames, which may come in fragments.
import { createHash } from "node:crypto"
import { createServer } from "node:http"

export const SAID = "what time is it"
export const ANSWER = "It is twelve o'clock"

/** Milliseconds of audio of a word. */
const WORD = 400

/** Serves on a free port. `heard` are the types of the events that came, and `appended` the bytes of audio. */
export async function realtime(key) {
  const state = { heard: [], appended: 0, truncated: [], interrupt: undefined }
  const sockets = new Set()
  const server = createServer((_, response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"data":[]}'))
  server.on("upgrade", (request, socket) => {
    if (request.headers.authorization !== `Bearer ${key}`) return socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n")
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
    serve(socket, state)
  })
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens))
  const close = () => new Promise((closed) => (server.close(closed), server.closeAllConnections(), sockets.forEach((socket) => socket.destroy())))
  return { ...accessors(state), url: `http://127.0.0.1:${server.address().port}`, drop: () => sockets.forEach((socket) => socket.destroy()), close }
}

const accessors = (state) => ({
  heard: state.heard,
  truncated: state.truncated,
  appended: () => state.appended,
  /** Detects speech of the user during the answer. */
  interrupt: () => state.interrupt?.(),
})

/** Sends an event as an unmasked text frame. */
function send(socket, event) {
  const body = Buffer.from(JSON.stringify(event))
  const head = body.length < 126 ? Buffer.from([0x81, body.length]) : body.length < 65536 ? Buffer.from([0x81, 126, body.length >> 8, body.length & 255]) : Buffer.alloc(10)
  if (body.length >= 65536) {
    head[0] = 0x81
    head[1] = 127
    head.writeBigUInt64BE(BigInt(body.length), 2)
  }
  socket.write(Buffer.concat([head, body]))
}

function serve(socket, state) {
  let n = 0
  const emit = (event) => send(socket, { event_id: `event_${(n += 1)}`, ...event })
  const respond = (metadata) => speak(emit, metadata, () => `item_${(n += 1)}`)
  state.interrupt = () => emit({ type: "input_audio_buffer.speech_started", audio_start_ms: 0, item_id: "item_next" })
  emit({ type: "session.created", session: { type: "realtime", id: "sess_1", model: "test" } })
  read(socket, (event) => {
    state.heard.push(event.type)
    if (event.type === "session.update") emit({ type: "session.updated", session: {} })
    if (event.type === "input_audio_buffer.append") state.appended += event.audio.length
    if (event.type === "conversation.item.truncate") state.truncated.push(event.audio_end_ms)
    if (event.type === "input_audio_buffer.commit") {
      const item = `item_${(n += 1)}`
      emit({ type: "input_audio_buffer.committed", item_id: item })
      emit({ type: "conversation.item.input_audio_transcription.completed", item_id: item, content_index: 0, transcript: SAID })
    }
    if (event.type === "response.create") respond(event.response?.metadata)
  })
}

/** Sends the answer at once: services send faster than real time. */
function speak(emit, metadata, newItem) {
  const [id, item] = [`resp_${newItem()}`, newItem()]
  emit({ type: "response.created", response: { id, status: "in_progress", metadata } })
  const sound = Buffer.alloc(WORD * 48).toString("base64")
  for (const word of ANSWER.split(" ")) {
    emit({ type: "response.output_audio_transcript.delta", response_id: id, item_id: item, delta: `${word} ` })
    emit({ type: "response.output_audio.delta", response_id: id, item_id: item, delta: sound })
  }
  const output = [{ id: item, type: "message", role: "assistant", content: [{ type: "output_audio", transcript: ANSWER }] }]
  emit({ type: "response.done", response: { id, status: "completed", metadata, output, usage: { input_tokens: 20, output_tokens: 10 } } })
}

/** Reads masked frames, and calls `on` with each event. */
function read(socket, on) {
  let [rest, text] = [Buffer.alloc(0), []]
  socket.on("data", (data) => {
    rest = Buffer.concat([rest, data])
    for (;;) {
      const frame = frameIn(rest)
      if (!frame) return
      rest = rest.subarray(frame.end)
      if (frame.opcode === 8) socket.end()
      if (frame.opcode < 2) text.push(frame.body)
      if (frame.opcode > 1 || !frame.last) continue
      on(JSON.parse(Buffer.concat(text).toString()))
      text = []
    }
  })
}

function frameIn(data) {
  if (data.length < 2) return undefined
  let [size, at] = [data[1] & 127, 2]
  if (size === 126) {
    if (data.length < 4) return undefined
    ;[size, at] = [data.readUInt16BE(2), 4]
  } else if (size === 127) {
    if (data.length < 10) return undefined
    ;[size, at] = [Number(data.readBigUInt64BE(2)), 10]
  }
  const end = at + 4 + size
  if (data.length < end) return undefined
  const mask = data.subarray(at, at + 4)
  const body = Buffer.from(data.subarray(at + 4, end))
  for (let i = 0; i < body.length; i++) body[i] ^= mask[i % 4]
  return { opcode: data[0] & 15, last: data[0] >= 128, body, end }
}
