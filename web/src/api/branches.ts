// The calls about versions of a message, and what followed each.
import { api, unwrap } from "./client"

/** Asks a message again, as it was unless a text is given; what was there is kept. It takes its place after what runs and waits. */
export const askAgain = (key: string, id: string, message: number, text?: string) =>
  unwrap(
    api.POST("/api/sessions/{key}/messages/{id}/again", {
      params: { path: { key, id: message } },
      body: { client_message_id: id, ...(text === undefined ? {} : { text }) },
    }),
  )

/** Goes on from another version of a message. Refused while an answer is being written. */
export const switchBranch = (key: string, message: number) =>
  unwrap(api.PUT("/api/sessions/{key}/branch", { params: { path: { key } }, body: { message_id: message } }))
