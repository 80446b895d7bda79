import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Download, Save } from "lucide-react"
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react"

import { contentAddress, readText, writeText } from "../../../api/files"
import { asProblem, type Problem } from "../../../api/problem"
import { useTable } from "../../../i18n/table"
import { Button, buttonLook } from "../../../ui/Button"
import { DownloadLink } from "../../../ui/DownloadLink"
import { Note } from "../../../ui/Note"
import { toast } from "../../../ui/toasts"
import { useConversationContext } from "../../shared/context"
import { nameOf } from "../kinds"
import { words } from "./words"

const TextEditor = lazy(() => import("./TextEditor"))

interface Props {
  path: string
  onDirty: (dirty: boolean) => void
  /** Stands before the buttons. */
  beside?: ReactNode
}

/** A text file, to be read and changed. A change of somebody else's is never written over unasked. */
export function TextFile({ path, onDirty, beside }: Props) {
  const say = useTable(words)
  const { sessionKey } = useConversationContext()
  const queries = useQueryClient()
  const queryKey = ["file-text", sessionKey, path]
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => readText(sessionKey, path), staleTime: Infinity, gcTime: 0, retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false })
  const [text, setText] = useState<string>()
  const [problem, setProblem] = useState<Problem>()
  const [saving, setSaving] = useState(false)
  const [version, setVersion] = useState(0) // of what the editor begins with
  const dirty = data !== undefined && text !== undefined && text !== data.text
  useEffect(() => onDirty(dirty), [dirty, onDirty])
  const name = nameOf(path)

  const save = async (before = data?.sha256) => {
    if (text === undefined || saving) return
    setSaving(true)
    try {
      const saved = await writeText(sessionKey, { path, text, before })
      queries.setQueryData(queryKey, { ...saved, text })
      setProblem(undefined)
      toast(say("saved", { name }))
      void queries.invalidateQueries({ queryKey: ["files", sessionKey] })
    } catch (error) {
      setProblem(asProblem(error))
    }
    setSaving(false)
  }
  const reload = async () => {
    await refetch()
    setText(undefined)
    setProblem(undefined)
    setVersion(version + 1)
  }
  const overwrite = async () => {
    try {
      await save((await readText(sessionKey, path)).sha256)
    } catch (error) {
      setProblem(asProblem(error))
    }
  }

  return (
    <>
      <div className="mb-2 flex items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate font-medium">
          {name} {dirty && <span className="text-small font-normal text-ink-3">· {say("unsaved")}</span>}
        </h3>
        {beside}
        <DownloadLink href={contentAddress(sessionKey, path)} download={name} className={buttonLook("plain")}>
          <Download size={15} aria-hidden /> {say("download")}
        </DownloadLink>
        {data && (
          <Button look="primary" disabled={!dirty || saving} onClick={() => void save()}>
            <Save size={15} aria-hidden /> {say("save")}
          </Button>
        )}
      </div>
      {problem && (
        <Note tone="danger" className="mb-2">
          <p>{problem.status === 409 ? say("changed", { name }) : problem.message}</p>
          {problem.status === 409 && (
            <div className="mt-2 flex gap-2">
              <Button onClick={() => void reload()}>{say("reload")}</Button>
              <Button onClick={() => void overwrite()}>{say("overwrite")}</Button>
            </div>
          )}
        </Note>
      )}
      {error && <Note tone="plain">{asProblem(error).status === 400 ? say("noText", { name }) : error.message}</Note>}
      {data && (
        <div className="min-h-0 flex-1 overflow-hidden rounded-md border border-line">
          <Suspense fallback={<pre className="h-full overflow-auto p-3 font-mono text-small">{data.text}</pre>}>
            <TextEditor key={version} path={path} label={say("editor", { name })} text={text ?? data.text} onText={setText} onSave={() => void save()} />
          </Suspense>
        </div>
      )}
    </>
  )
}
