import { type ComponentProps, useMemo } from "react"

import type { MarkdownHost } from "../../markdown/host"
import { type MarkdownProps, Renderer } from "../../markdown/Renderer"
import { generatedFile, nameOf } from "../chat/files"
import { useSay } from "../lib/language"
import { CopyButton } from "../ui/CopyButton"
import { FileView } from "./FileView"

/** A Markdown text of a service, which shows the files of the visitor's conversation. */
export default function Answer(props: MarkdownProps) {
  const say = useSay()
  const host = useMemo<MarkdownHost>(() => ({ word: (name) => say(`answer.${name}`), Link, Image, CopyButton: CopyCode }), [say])
  return <Renderer {...props} host={host} />
}

const CopyCode = ({ text }: { text: string }) => <CopyButton text={text} label="answer.code" />

/** Addresses that a visitor may be led to. Others of this server are nothing to visitors. */
const ABROAD = /^(?:https?:\/\/|mailto:|tel:)/i

function Link({ href, children }: ComponentProps<"a">) {
  if (href?.startsWith("#")) return <span>{children}</span>
  if (href && ABROAD.test(href)) {
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    )
  }
  const file = href && generatedFile(href)
  return file ? <FileView {...file} as="link" name={children} /> : <>{children}</>
}

function Image({ src, alt }: ComponentProps<"img">) {
  const say = useSay()
  if (typeof src !== "string") return <>{alt}</>
  const file = generatedFile(src)
  if (file) return <FileView {...file} as="shown" alt={alt || nameOf(file.path)} />
  return <Link href={src}>{say("answer.image", { alt: alt || src })}</Link>
}
