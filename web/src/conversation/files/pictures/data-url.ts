import { signedOut } from "../../../api/client"
import { pageHeaders } from "../../../api/pagekey"
import { problemFrom } from "../../../api/problem"

/** Reads a picture as a data: URL: an address of its own would need the page's key in it. */
export async function readPicture(session: string, hash: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`/api/sessions/${encodeURIComponent(session)}/pictures/${hash}`, { headers: pageHeaders(), signal })
  if (answer.status === 401) signedOut()
  if (!answer.ok) throw problemFrom(answer.status, undefined)
  return await dataUrl(await answer.blob())
}

/** A file as a data: URL, which the policy of the page lets it show. */
export function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(reader.error ?? new Error("the picture could not be read"))
    reader.readAsDataURL(blob)
  })
}
