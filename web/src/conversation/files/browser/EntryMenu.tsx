import { useQueryClient } from "@tanstack/react-query"
import { Archive, CopyPlus, Download, Ellipsis, FilePlus, FolderPlus, Link2, Pencil, Trash2 } from "lucide-react"
import { DropdownMenu } from "radix-ui"
import { lazy, type ReactNode, Suspense, useState } from "react"

import { linkFile, makePass } from "../../../api/calls"
import { contentAddress, copyFile, deleteFile, makeFolder, moveFile, writeText } from "../../../api/files"
import { asProblem } from "../../../api/problem"
import type { FileEntry } from "../../../api/types"
import { useT } from "../../../i18n"
import { useTable } from "../../../i18n/table"
import { IconButton } from "../../../ui/IconButton"
import { menuItem, menuLine, menuPanel } from "../../../ui/menu"
import { toast } from "../../../ui/toasts"
import { copyText } from "../../../ui/useCopy"
import { useConversationContext } from "../../shared/context"
import { join } from "../kinds"
import { NameDialog } from "./NameDialog"
import { words } from "./words"

const Confirm = lazy(() => import("../../../ui/Confirm"))

interface Props {
  entry: FileEntry
  /** It is the folder that the tree begins with, which stays. */
  top?: boolean
  /** The entry is not there any more; where it was moved, that is at `to`. */
  onGone: (to?: string) => void
  /** A file was made. */
  onMade: (path: string) => void
}

type Asking = "rename" | "newFile" | "newFolder" | "delete"

/** What can be done with a file or a folder. */
export function EntryMenu({ entry, top, onGone, onMade }: Props) {
  const say = useTable(words)
  const t = useT()
  const { sessionKey } = useConversationContext()
  const queries = useQueryClient()
  const [asking, setAsking] = useState<Asking>()
  const read = () => queries.invalidateQueries({ queryKey: ["files", sessionKey] })
  const attempt = async (change: () => Promise<unknown>) => {
    try {
      await change()
    } catch (error) {
      toast(asProblem(error).message)
    }
    await read()
  }
  const save = (folder: boolean) =>
    attempt(async () => {
      const { url } = await makePass(contentAddress(sessionKey, entry.path, folder))
      location.assign(url) // an attachment: the page stays
    })
  const link = () =>
    attempt(async () => {
      const { url } = await linkFile(sessionKey, entry.path)
      const whole = new URL(url, location.origin).href
      toast((await copyText(whole)) ? t("files.linkCopied") : whole)
    })
  const duplicate = () => attempt(() => copyFile(sessionKey, entry.path, copyName(entry.path)))
  const remove = () =>
    attempt(async () => {
      await deleteFile(sessionKey, entry.path)
      onGone()
    })
  const named: Record<Exclude<Asking, "delete">, { label: string; value: string; make: (text: string) => Promise<unknown> }> = {
    rename: {
      label: say("path"), value: entry.path,
      make: async (path) => {
        await moveFile(sessionKey, entry.path, path)
        onGone(entry.dir ? undefined : path)
      },
    },
    newFile: {
      label: say("name"), value: "",
      make: async (name) => {
        const { path } = await writeText(sessionKey, { path: join(entry.path, name), text: "" })
        onMade(path)
      },
    },
    newFolder: { label: say("name"), value: "", make: (name) => makeFolder(sessionKey, join(entry.path, name)) },
  }
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <IconButton small label={say("more", { name: entry.name })}>
            <Ellipsis size={15} aria-hidden />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" collisionPadding={8} className={menuPanel}>
            {entry.dir && <Item icon={<FilePlus size={15} aria-hidden />} text={say("newFile")} onSelect={() => setAsking("newFile")} />}
            {entry.dir && <Item icon={<FolderPlus size={15} aria-hidden />} text={say("newFolder")} onSelect={() => setAsking("newFolder")} />}
            {entry.dir && <Item icon={<Archive size={15} aria-hidden />} text={say("zip")} onSelect={() => void save(true)} />}
            {!entry.dir && <Item icon={<Download size={15} aria-hidden />} text={say("download")} onSelect={() => void save(false)} />}
            {!entry.dir && <Item icon={<Link2 size={15} aria-hidden />} text={say("link")} onSelect={() => void link()} />}
            {!top && (
              <>
                <DropdownMenu.Separator className={menuLine} />
                <Item icon={<CopyPlus size={15} aria-hidden />} text={say("duplicate")} onSelect={() => void duplicate()} />
                <Item icon={<Pencil size={15} aria-hidden />} text={say("rename")} onSelect={() => setAsking("rename")} />
                <Item icon={<Trash2 size={15} aria-hidden />} text={say("delete")} onSelect={() => setAsking("delete")} />
              </>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {asking === "delete" && (
        <Suspense>
          <Confirm
            title={say(entry.dir ? "deleteFolder" : "deleteFile", { name: entry.name })}
            text={entry.path}
            action={say("delete").replace("…", "")}
            onClose={() => setAsking(undefined)}
            onConfirm={() => void remove()}
          />
        </Suspense>
      )}
      {asking !== undefined && asking !== "delete" && (
        <NameDialog
          title={say(asking).replace("…", "")}
          label={named[asking].label}
          value={named[asking].value}
          onDone={async (text) => {
            await named[asking].make(text)
            await read()
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  )
}

function Item({ icon, text, onSelect }: { icon: ReactNode; text: string; onSelect: () => void }) {
  return (
    <DropdownMenu.Item className={menuItem} onSelect={onSelect}>
      {icon} {text}
    </DropdownMenu.Item>
  )
}

/** The path of a copy: "a.txt" becomes "a copy.txt". */
const copyName = (path: string): string => path.replace(/(\.[^./]+)?$/, " copy$1")
