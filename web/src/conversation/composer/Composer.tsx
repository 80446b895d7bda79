import { ArrowUp, Square } from "lucide-react"
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react"

import { useT } from "../../i18n"
import { byteLength } from "../../lib/bytes"
import { cx } from "../../lib/cx"
import { IconButton } from "../../ui/IconButton"
import { AttachButton } from "../files/AttachButton"
import { UploadList } from "../files/UploadList"
import type { UploadControls } from "../files/useUploads"
import { CommandMenu } from "./CommandMenu"
import { directivesIn, isBang, type OwnCommand, ownCommand } from "./commands"
import { ComposerBox } from "./ComposerBox"
import { LONGEST_MESSAGE } from "./message-text"
import { type Option, optionsFor } from "./options"
import { recall } from "./recall"
import { useCommands, useNames } from "./useCommands"
import { useMentions } from "./useMentions"

const Dictation = lazy(() => import("./dictation/Dictation"))

export interface ComposerProps extends UploadControls {
  text: string
  onText: (text: string) => void
  /** A turn is running: there is something to stop. */
  busy: boolean
  stopping: boolean
  /** What was sent before, oldest first. */
  sent: string[]
  onSend: (text: string) => void
  onCommand: (command: OwnCommand) => void
  onStop: () => void
  /** Opens the last message that waits for a change; false when none does. */
  onEditWaiting?: () => boolean
  /** What is chosen for the conversation, in the foot of the box. */
  choices?: ReactNode
  /** Menus open under it: there is no room above. */
  menuBelow?: boolean
  /** The conversation whose files are offered behind an @. */
  findIn?: string
  /** Stands before the buttons. */
  beside?: ReactNode
}

/** Where messages are written. What is typed survives everything until it is sent. */
export function Composer({ text, onText, busy, stopping, sent, onSend, onCommand, onStop, onEditWaiting, choices, menuBelow, findIn, beside, ...files }: ComposerProps) {
  const t = useT()
  const [back, setBack] = useState(0)
  const [chosen, setChosen] = useState(0)
  const [dismissed, setDismissed] = useState(false)
  const commands = useCommands(text.includes("/"))
  const names = useNames(text)
  const found = useMentions(findIn, text)
  const menu = dismissed ? [] : [...optionsFor(commands, text, names), ...found]
  const marked = useMemo(() => directivesIn(commands, text), [commands, text])
  const bang = isBang(text)
  const over = byteLength(text) - LONGEST_MESSAGE
  const write = (next: string) => {
    onText(next)
    setChosen(0)
    setDismissed(false)
  }

  const run = (command: OwnCommand) => {
    write("")
    onCommand(command)
  }
  const take = ({ does, text: next }: Option) => {
    if (does) run(does)
    else write(next)
  }
  const submit = () => {
    const command = ownCommand(text)
    if (command) {
      run(command)
    } else if (text.trim() !== "" && over <= 0) {
      onSend(text.trim())
      setBack(0)
      write("")
    }
  }
  const walk = (step: 1 | -1): boolean => {
    const place = recall(sent, back, step)
    if (place) {
      write(place.text)
      setDismissed(true) // the arrows go on through what was sent, also past a command
      setBack(place.at)
    }
    return place !== undefined
  }
  const onKey = (event: KeyboardEvent): boolean => {
    if (isComposing(event)) return false
    if (menu.length > 0) {
      const complete = event.key === "Enter" && menu[chosen]?.whole === true
      if (!complete && menuKey(event, menu, chosen, { choose: setChosen, run: take, dismiss: () => setDismissed(true) })) return true
    }
    if (event.key === "Enter" && !event.shiftKey) {
      submit()
      return true
    }
    if (event.key === "Escape" && text === "") return focusQuestion()
    const untouched = text === "" || (back > 0 && text === sent.at(-back))
    if (event.key === "ArrowUp" && text === "" && onEditWaiting?.()) return true
    if (event.key === "ArrowUp" && untouched) return walk(1)
    if (event.key === "ArrowDown" && back > 0 && untouched) return walk(-1)
    return false
  }

  return (
    <div className="relative">
      {menu.length > 0 && <CommandMenu options={menu} chosen={chosen} below={menuBelow} onTake={take} />}
      <div className="rounded-xl border border-line-strong bg-overlay shadow-field focus-within:border-accent">
        <UploadList uploads={files.uploads} onDrop={files.dropUpload} />
        <div className={cx("px-4 pt-3 pb-1", bang && "as-command")}>
          <ComposerBox
            label={t("composer.label")}
            placeholder={t(busy ? "composer.placeholderBusy" : "composer.placeholder")}
            text={text}
            marked={marked}
            onText={write}
            onKey={onKey}
            onFiles={files.addFiles}
            menuOption={menu[chosen]?.id}
          />
        </div>
        <div className="flex items-center gap-1 p-2 pt-0">
          <AttachButton onFiles={files.addFiles} />
          {choices}
          <span className="flex-1" />
          {beside}
          <Suspense>
            <Dictation sessionKey={findIn} />
          </Suspense>
          {busy && (
            <IconButton round label={t(stopping ? "composer.stopping" : "composer.stop")} disabled={stopping} onClick={onStop} className="border border-line-strong text-ink">
              <Square size={13} fill="currentColor" aria-hidden />
            </IconButton>
          )}
          {(!busy || text.trim() !== "") && (
            <IconButton
              round
              label={t("composer.send")}
              aria-disabled={text.trim() === "" || over > 0}
              onClick={submit}
              className="bg-accent text-on-accent hover:bg-accent-strong hover:text-on-accent aria-disabled:bg-hover aria-disabled:text-ink-3"
            >
              <ArrowUp size={18} aria-hidden />
            </IconButton>
          )}
        </div>
        {bang && <p className="px-4 pb-2 text-small text-ink-3">{t("composer.bang")}</p>}
        {over > 0 && (
          <p role="alert" className="px-4 pb-2 text-small text-danger">
            {t("composer.tooLong", { over, limit: LONGEST_MESSAGE })}
          </p>
        )}
      </div>
    </div>
  )
}

/** Gives the focus to the first question that waits for an answer; true when there is one. */
function focusQuestion(): boolean {
  const question = document.querySelector<HTMLElement>("[data-approval]")
  question?.focus()
  return question !== null
}

/** An input method is choosing characters. Safari tells of the last key only after the end, by the old code. */
function isComposing(event: KeyboardEvent): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else says it in Safari
  return event.isComposing || event.keyCode === 229
}

interface MenuActions {
  choose: (at: number) => void
  run: (option: Option) => void
  dismiss: () => void
}

/** A key while the commands are listed; true when the list has used it. */
function menuKey(event: KeyboardEvent, menu: Option[], chosen: number, { choose, run, dismiss }: MenuActions): boolean {
  const option = menu[chosen]
  if (event.key === "ArrowDown") choose((chosen + 1) % menu.length)
  else if (event.key === "ArrowUp") choose((chosen + menu.length - 1) % menu.length)
  else if (event.key === "Escape") dismiss()
  else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && option) run(option)
  else return false
  return true
}
