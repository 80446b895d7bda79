// The AudioWorklet of voice mode: mono audio of the microphone as PCM16 at 24 kHz, in pieces of 100 ms. It is a separate file because the
// Content-Security-Policy of the page does not allow blob: scripts.
/* global AudioWorkletProcessor, registerProcessor, sampleRate */
const RATE = 24000
const PIECE = 2400

class VoiceCapture extends AudioWorkletProcessor {
  piece = new Int16Array(PIECE)
  filled = 0
  sum = 0
  count = 0
  due = 0 // of a sample at RATE, in samples of the device

  process(inputs) {
    const channel = inputs[0]?.[0]
    if (!channel) return true
    const step = sampleRate / RATE
    for (const value of channel) {
      this.sum += value
      this.count += 1
      this.due += 1
      while (this.due >= step) {
        this.due -= step
        this.add(this.count > 0 ? this.sum / this.count : value)
        this.sum = 0
        this.count = 0
      }
    }
    return true
  }

  add(value) {
    this.piece[this.filled] = Math.max(-1, Math.min(1, value)) * 32767
    this.filled += 1
    if (this.filled < PIECE) return
    this.port.postMessage(this.piece.buffer, [this.piece.buffer])
    this.piece = new Int16Array(PIECE)
    this.filled = 0
  }
}

registerProcessor("voice-capture", VoiceCapture)
