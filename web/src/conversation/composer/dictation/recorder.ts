/** Milliseconds that a recording may take; then it ends by itself. */
const LONGEST = 10 * 60_000

/** Bits a second: enough for speech, and 2.4 MB for the longest recording. */
const BITS = 32_000

const kinds = ["audio/webm;codecs=opus", "audio/ogg;codecs=opus", "audio/mp4"]

/** A recording that goes on. */
export interface Recording {
  /** Ends it: what was recorded comes to who began it. */
  stop: () => void
  /** Ends it, and nobody hears it. */
  drop: () => void
}

/** Asks for the microphone and records until it is told to stop, the microphone is gone, or the time is over. */
export async function record(onEnd: (recorded: Blob) => void): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const release = () => stream.getTracks().forEach((track) => track.stop())
  try {
    return begin(stream, release, onEnd)
  } catch (error) {
    release()
    throw error
  }
}

function begin(stream: MediaStream, release: () => void, onEnd: (recorded: Blob) => void): Recording {
  const recorder = new MediaRecorder(stream, { mimeType: kinds.find((kind) => MediaRecorder.isTypeSupported(kind)), audioBitsPerSecond: BITS })
  const pieces: Blob[] = []
  let wanted = true
  const stop = () => {
    if (recorder.state !== "inactive") recorder.stop()
  }
  const limit = setTimeout(stop, LONGEST)
  recorder.ondataavailable = ({ data }) => pieces.push(data)
  recorder.onstop = () => {
    clearTimeout(limit)
    release()
    if (wanted) onEnd(new Blob(pieces, { type: recorder.mimeType }))
  }
  recorder.start()
  return {
    stop,
    drop: () => {
      wanted = false
      stop()
    },
  }
}
