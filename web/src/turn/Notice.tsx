import { Info, TriangleAlert } from "lucide-react"

import { LazyMarkdown } from "../markdown/LazyMarkdown"

/** The product speaks: a turn that was stopped, failed or lost, a limit that was reached. */
export function Notice({ text }: { text: string }) {
  const plain = text.replace(/^(⚠️|⚠)\s*/u, "")
  const Icon = plain === text ? Info : TriangleAlert
  return (
    <div className="flex gap-3 rounded-md bg-warn-soft px-3.5 py-2.5 text-small text-warn">
      <Icon size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="notice min-w-0 flex-1 text-ink">
        <LazyMarkdown text={plain} live={false} />
      </div>
    </div>
  )
}
