import { Download, FileText } from "lucide-react"
import { type MouseEvent, type ReactNode, useContext, useEffect, useState } from "react"

import { addressOf, type FileRef, kindOf, nameOf, save, tokenOf } from "../chat/files"
import { useSay } from "../lib/language"
import { ConversationId } from "./context"

interface Props {
  path: string
  /** Where in the file, such as page=2. */
  anchor?: string
  /** Shown in its place, or named as a link. */
  as: "shown" | "link"
  from?: FileRef["from"]
  alt?: string
  /** What a link says; its name, where nothing is said. */
  name?: ReactNode
}

/** A file of the conversation: a picture, a sound, a film in place; a PDF opens in a tab; what else there is is saved. */
export function FileView({ path, anchor, as, from = "files", alt, name }: Props) {
  const conversation = useContext(ConversationId)
  if (conversation === undefined) return <>{name ?? alt}</>
  const file = { conversation, from, path }
  const kind = kindOf(path)
  if (kind === "pdf") return <Pdf file={file} anchor={anchor} name={name ?? alt} />
  if (kind === "other" || as === "link") return <Saved file={file} name={name ?? alt} />
  return <Media key={path} file={file} kind={kind} alt={alt ?? nameOf(path)} />
}

/** Shows a file with a token. One that is refused is asked for anew once: it was too old. */
function Media({ file, kind, alt }: { file: FileRef; kind: "picture" | "sound" | "film"; alt: string }) {
  const say = useSay()
  const { conversation } = file
  const [token, setToken] = useState<string>()
  const [broken, setBroken] = useState<string>()
  const [gone, setGone] = useState(false)
  useEffect(() => {
    let left = false
    tokenOf(conversation, broken).then(
      (fresh) => !left && setToken(fresh),
      () => !left && setGone(true),
    )
    return () => {
      left = true
    }
  }, [conversation, broken])
  if (gone) return <Saved file={file} name={say("file.gone", { name: alt })} />
  if (token === undefined) return <span className="text-small text-ink-3">{say("file.reading", { name: alt })}</span>
  const shown = { src: addressOf(file, token), onError: () => (broken === undefined ? setBroken(token) : setGone(true)) }
  if (kind === "sound") return <audio controls preload="metadata" aria-label={alt} className="my-2 block w-full max-w-md" {...shown} />
  if (kind === "film") return <video controls preload="metadata" aria-label={alt} className="my-2 block max-h-[28rem] max-w-full rounded-lg bg-sunken" {...shown} />
  return <img alt={alt} className="my-2 block max-h-[28rem] max-w-full rounded-lg bg-sunken" {...shown} />
}

const pill = "my-1 inline-flex max-w-full items-center gap-2 rounded-md border border-line-strong bg-canvas px-3 py-1.5 text-left text-ui no-underline transition-colors hover:bg-hover"

function Pdf({ file, anchor, name }: { file: FileRef; anchor?: string; name: ReactNode }) {
  const say = useSay()
  const open = () => {
    const tab = window.open("about:blank", "_blank") // now: a tab that opens later is held back
    const fragment = anchor ? `#${anchor}` : ""
    tokenOf(file.conversation).then(
      (token) => {
        if (!tab) return
        tab.opener = null
        tab.location.replace(new URL(addressOf(file, token) + fragment, location.href))
      },
      () => tab?.close(),
    )
  }
  return (
    <button type="button" title={say("file.pdf", { name: nameOf(file.path) })} onClick={open} className={pill}>
      <FileText size={16} aria-hidden className="shrink-0 text-accent" />
      <span className="truncate">{name ?? nameOf(file.path)}</span>
    </button>
  )
}

function Saved({ file, name }: { file: FileRef; name: ReactNode }) {
  const say = useSay()
  const [gone, setGone] = useState(false)
  const download = (event: MouseEvent) => {
    event.preventDefault()
    save(file).catch(() => setGone(true))
  }
  const label = nameOf(file.path)
  return (
    <button type="button" title={say("file.save", { name: label })} onClick={download} className={pill}>
      <Download size={16} aria-hidden className="shrink-0 text-accent" />
      <span className="truncate">{gone ? say("file.gone", { name: label }) : (name ?? label)}</span>
    </button>
  )
}
