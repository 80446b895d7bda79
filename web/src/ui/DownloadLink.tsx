import type { AnchorHTMLAttributes, MouseEvent } from "react"

import { makePass } from "../api/calls"
import { asProblem } from "../api/problem"
import { toast } from "./toasts"

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** Address of the API. */
  href: string
}

/** A link that downloads what the API has. The browser fetches it by itself, without our header, so a pass is asked for. */
export function DownloadLink({ href, download, ...rest }: Props) {
  const start = (event: MouseEvent) => {
    event.preventDefault()
    makePass(href).then(
      ({ url }) => {
        const link = document.createElement("a")
        link.href = url
        link.download = typeof download === "string" ? download : ""
        link.click()
      },
      (error: unknown) => toast(asProblem(error).message),
    )
  }
  return <a href={href} onClick={start} {...rest} />
}
