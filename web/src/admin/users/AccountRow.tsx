import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Ellipsis } from "lucide-react"
import { DropdownMenu } from "radix-ui"
import { lazy, Suspense, useState } from "react"

import { useAccount } from "../../account/account"
import { type Account, changeAccount, createSignInLink, deleteAccount } from "../../api/people"
import { channelName } from "../../channels/place"
import { useLanguage, useT } from "../../i18n"
import { accountsWords } from "../../i18n/accounts"
import { moment } from "../../i18n/format"
import { useTable } from "../../i18n/table"
import { IconButton } from "../../ui/IconButton"
import { LinkNote } from "../../ui/LinkNote"
import { menuItem, menuPanel } from "../../ui/menu"
import { Note } from "../../ui/Note"
import { accountsQuery } from "./queries"
import { useMarkDeleted } from "./useDeletion"

const Confirm = lazy(() => import("../../ui/Confirm"))

/** Somebody with an account, with what can be done about it. */
export function AccountRow({ account }: { account: Account }) {
  const say = useTable(accountsWords)
  const { me } = useAccount()
  const client = useQueryClient()
  const [asks, setAsks] = useState<"disable" | "reset" | "remove">()
  const change = useMutation({
    mutationFn: (wanted: Parameters<typeof changeAccount>[1]) => changeAccount(account.id, wanted),
    onSuccess: () => client.invalidateQueries(accountsQuery),
  })
  const link = useMutation({ mutationFn: (forget: boolean) => createSignInLink(account.id, forget) })
  const markDeleted = useMarkDeleted()
  const remove = useMutation({ mutationFn: () => deleteAccount(account.id), onSuccess: () => markDeleted(account.id) })
  const mine = account.id === me.user.id
  const disabled = account.disabled_at !== undefined
  const { name } = account
  const error = change.error ?? link.error ?? remove.error
  if (account.deleting_since !== undefined)
    return (
      <li className="py-2.5">
        <span className="block font-medium break-words">{name}</span>
        <span role="status" className="block text-small text-danger">
          {say("removing", { left: account.conversations, had: account.had ?? 0 })}
        </span>
      </li>
    )
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5">
      <span className="min-w-48 flex-1">
        <span className="block font-medium break-words">
          {name} {mine && <span className="font-normal text-ink-3">({say("you")})</span>}
          {disabled && <span className="font-normal text-danger">{say("disabled")}</span>}
        </span>
        <Facts account={account} />
      </span>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <IconButton label={say("more", { name })}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" className={menuPanel}>
            {!disabled && (
              <>
                <DropdownMenu.Item className={menuItem} onSelect={() => change.mutate({ role: account.role === "admin" ? "member" : "admin" })}>
                  {say(account.role === "admin" ? "makeMember" : "makeAdmin")}
                </DropdownMenu.Item>
                <DropdownMenu.Item className={menuItem} onSelect={() => link.mutate(false)}>
                  {say("link")}
                </DropdownMenu.Item>
                <DropdownMenu.Item className={menuItem} onSelect={() => setAsks("reset")}>
                  {say("reset")}
                </DropdownMenu.Item>
              </>
            )}
            {disabled ? (
              <DropdownMenu.Item className={menuItem} onSelect={() => change.mutate({ disabled: false })}>
                {say("enable")}
              </DropdownMenu.Item>
            ) : (
              !mine && (
                <DropdownMenu.Item className={menuItem} onSelect={() => setAsks("disable")}>
                  {say("disable")}
                </DropdownMenu.Item>
              )
            )}
            {!mine && (
              <DropdownMenu.Item className={menuItem} onSelect={() => setAsks("remove")}>
                {say("remove")}
              </DropdownMenu.Item>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {error && <Note tone="danger" className="w-full text-small">{error.message}</Note>}
      {link.data && <LinkNote text={say("linkOf", { name })} link={link.data.link} />}
      <Suspense>
        {asks === "disable" && (
          <Confirm
            title={say("disableTitle", { name })}
            text={say("disableText")}
            action={say("disable")}
            onClose={() => setAsks(undefined)}
            onConfirm={() => change.mutate({ disabled: true })}
          />
        )}
        {asks === "remove" && (
          <Confirm title={say("removeTitle", { name })} text={say("removeText")} action={say("removeAction")} onClose={() => setAsks(undefined)} onConfirm={() => remove.mutate()} />
        )}
        {asks === "reset" && (
          <Confirm title={say("resetTitle", { name })} text={say("resetText")} action={say("reset")} onClose={() => setAsks(undefined)} onConfirm={() => link.mutate(true)} />
        )}
      </Suspense>
    </li>
  )
}

function Facts({ account }: { account: Account }) {
  const t = useT()
  const say = useTable(accountsWords)
  const language = useLanguage()
  const role = say(account.role)
  const seen = account.seen_at
    ? say("facts", { role, count: account.conversations, date: moment(language, account.seen_at) })
    : say("never", { role })
  return <span className="block text-small break-words text-ink-3">{[seen, ...account.channels.map((channel) => channelName(t, channel))].join(" · ")}</span>
}
