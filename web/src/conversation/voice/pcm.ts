/** The sample rate of the audio of a realtime session, in Hz. */
export const RATE = 24_000

/** Bytes as base64, in pieces that fit the arguments of a call. */
export function encode(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer)
  let text = ""
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return btoa(text)
}

/** The samples of base64-encoded PCM16, from -1 to 1. */
export function decode(text: string): Float32Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  const samples = new Float32Array(Math.floor(bytes.length / 2))
  for (let at = 0; at < samples.length; at++) samples[at] = view.getInt16(at * 2, true) / 32768
  return samples
}

/** A piece of an item in the playback. Times are seconds of the clock of the output. */
export interface Piece {
  item: string
  start: number
  duration: number
}

/** How much of an item was heard at a time, in whole milliseconds. */
export function heardMs(pieces: Piece[], item: string, now: number): number {
  let seconds = 0
  for (const piece of pieces) {
    if (piece.item === item) seconds += Math.max(0, Math.min(piece.duration, now - piece.start))
  }
  return Math.floor(seconds * 1000)
}
