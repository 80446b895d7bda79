import type { ReactNode } from "react"

import { useConversationContext } from "../shared/context"
import { FilePill } from "./FilePill"
import { kindOf } from "./kinds"
import { Media } from "./Media"

/** A file that an answer shows: a picture, a sound, a film, a PDF; anything else is saved. */
export default function FileImage({ path, alt }: { path: string; alt?: string }): ReactNode {
  const { sessionKey } = useConversationContext()
  const pill = (
    <FilePill sessionKey={sessionKey} path={path}>
      {alt || undefined}
    </FilePill>
  )
  return kindOf(path) === "text" || kindOf(path) === "table" ? pill : <Media sessionKey={sessionKey} path={path} alt={alt} otherwise={pill} />
}
