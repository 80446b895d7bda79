import { Download } from "lucide-react"
import { lazy, Suspense, useState } from "react"

import { contentAddress } from "../../../api/files"
import { useTable } from "../../../i18n/table"
import { Button, buttonLook } from "../../../ui/Button"
import { DownloadLink } from "../../../ui/DownloadLink"
import { useConversationContext } from "../../shared/context"
import { isPlainTable, kindOf, nameOf } from "../kinds"
import { Media } from "../Media"
import { TextFile } from "./TextFile"
import { words } from "./words"

const TableView = lazy(() => import("./TableView"))

/** A file as it can be looked at: a text that can be changed, a table, a picture, a sound, a film, the pages of a PDF; anything else is saved. */
export function FileView({ path, onDirty }: { path: string; onDirty: (dirty: boolean) => void }) {
  const say = useTable(words)
  const { sessionKey } = useConversationContext()
  const [asText, setAsText] = useState(false)
  const kind = kindOf(path)
  if (kind === "text" || asText) {
    return <TextFile path={path} onDirty={onDirty} beside={asText && <Button onClick={() => setAsText(false)}>{say("asTable")}</Button>} />
  }
  return (
    <>
      <div className="mb-2 flex items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate font-medium">{nameOf(path)}</h3>
        {isPlainTable(path) && <Button onClick={() => setAsText(true)}>{say("asText")}</Button>}
        <DownloadLink href={contentAddress(sessionKey, path)} download={nameOf(path)} className={buttonLook("plain")}>
          <Download size={15} aria-hidden /> {say("download")}
        </DownloadLink>
      </div>
      <div className="flex min-h-0 flex-1 items-start justify-center overflow-auto">
        {kind === "table" ? (
          <Suspense>
            <TableView path={path} />
          </Suspense>
        ) : (
          <Media sessionKey={sessionKey} path={path} room />
        )}
      </div>
    </>
  )
}
