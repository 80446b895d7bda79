import { signedOut } from "../../api/client"
import { pageHeaders } from "../../api/pagekey"
import { Problem, problemFrom, unreachable } from "../../api/problem"
import type { UploadedFile } from "../../api/types"

/**
 * Sends one file into a session's folder and tells how many bytes have left, which fetch cannot. Rejects with a Problem;
 * one of status -1 means that `signal` ended it.
 */
export function sendFile(key: string, file: File, signal: AbortSignal, onSent: (bytes: number) => void): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const body = new FormData()
    body.append("file", file, file.name)
    const cancel = () => request.abort()
    request.open("POST", `/api/sessions/${encodeURIComponent(key)}/files`)
    for (const [name, value] of Object.entries(pageHeaders())) request.setRequestHeader(name, value)
    request.responseType = "json"
    request.upload.onprogress = (event) => onSent(Math.min(event.loaded, file.size))
    request.onload = () => {
      const [stored] = (request.response as { files?: UploadedFile[] } | null)?.files ?? []
      if (request.status === 201 && stored) resolve(stored)
      else reject(refusal(request))
    }
    request.onerror = () => reject(unreachable())
    request.onabort = () => reject(new Problem(-1, ""))
    request.onloadend = () => signal.removeEventListener("abort", cancel)
    signal.addEventListener("abort", cancel)
    request.send(body)
  })
}

function refusal(request: XMLHttpRequest): Problem {
  if (request.status === 401) signedOut()
  return problemFrom(request.status, request.response)
}
