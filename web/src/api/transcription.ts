import { api, unwrap } from "./client"

/** What is said in a recording, on one line; empty: nothing was made out. It may take minutes; `signal` ends it. */
export async function transcribe(recording: Blob, signal: AbortSignal): Promise<string> {
  const kind = recording.type || "audio/webm"
  const { text } = await unwrap(
    api.POST("/api/transcriptions", { body: "", bodySerializer: () => recording, headers: { "Content-Type": kind }, signal }),
  )
  return text
}
