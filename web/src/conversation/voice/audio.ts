import { decode, encode, heardMs, type Piece, RATE } from "./pcm"

/** The microphone, as base64-encoded pieces of 100 ms. */
export interface Microphone {
  close: () => void
}

export async function openMicrophone(onPiece: (audio: string) => void): Promise<Microphone> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } })
  const context = new AudioContext()
  const close = () => {
    stream.getTracks().forEach((track) => track.stop())
    void context.close()
  }
  try {
    await context.audioWorklet.addModule("/voice-capture.js")
    const capture = new AudioWorkletNode(context, "voice-capture", { numberOfOutputs: 0 })
    capture.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => onPiece(encode(data))
    context.createMediaStreamSource(stream).connect(capture)
    await context.resume()
    return { close }
  } catch (error) {
    close()
    throw error
  }
}

/** Seconds of silence before the first piece, so that the next pieces arrive in time. */
const LEAD = 0.08

/** Plays an answer while it arrives, and measures how much of it was heard. */
export class Player {
  readonly #context = new AudioContext({ sampleRate: RATE })
  #pieces: (Piece & { source: AudioBufferSourceNode })[] = []
  #end = 0

  /** Adds a piece of an item. */
  play(item: string, audio: string): void {
    const samples = decode(audio)
    if (samples.length === 0) return
    const buffer = this.#context.createBuffer(1, samples.length, RATE)
    buffer.copyToChannel(samples, 0)
    const source = this.#context.createBufferSource()
    source.buffer = buffer
    source.connect(this.#context.destination)
    const start = Math.max(this.#end, this.#context.currentTime + LEAD)
    source.start(start)
    this.#end = start + buffer.duration
    if (this.#pieces.at(-1)?.item !== item) this.#pieces = this.#pieces.filter((piece) => piece.start + piece.duration > this.#context.currentTime)
    this.#pieces.push({ item, start, duration: buffer.duration, source })
  }

  /** Stops the playback, and returns the item and the milliseconds that were heard; undefined if nothing is playing. */
  stop(): { item: string; heard: number } | undefined {
    const now = this.#context.currentTime
    const last = this.#pieces.at(-1)
    if (!last || this.#end <= now) return undefined
    const heard = heardMs(this.#pieces, last.item, now)
    for (const { source } of this.#pieces) source.stop()
    this.#pieces = []
    this.#end = 0
    return { item: last.item, heard }
  }

  close(): void {
    void this.#context.close()
  }
}
