import { Paperclip } from "lucide-react"
import { useRef } from "react"

import { useT } from "../../i18n"
import { IconButton } from "../../ui/IconButton"

/** Lets the person choose files from this machine. */
export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const t = useT()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t("files.choose")}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = "" // the same file can be chosen again
        }}
      />
      <IconButton round label={t("files.attach")} onClick={() => input.current?.click()}>
        <Paperclip size={17} aria-hidden />
      </IconButton>
    </>
  )
}
