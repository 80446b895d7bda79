import { type SyntheticEvent, useState } from "react"

import { asProblem } from "../../../api/problem"
import { useT } from "../../../i18n"
import { Button } from "../../../ui/Button"
import { Field } from "../../../ui/Field"
import { Modal } from "../../../ui/Modal"

interface Props {
  title: string
  label: string
  value: string
  /** Uses the name; what it throws is shown, and the dialog stays. */
  onDone: (text: string) => Promise<void>
  onClose: () => void
}

/** Asks for a name or a path. */
export function NameDialog({ title, label, value, onDone, onClose }: Props) {
  const t = useT()
  const [text, setText] = useState(value)
  const [problem, setProblem] = useState<string>()
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    try {
      await onDone(text)
      onClose()
    } catch (error) {
      setProblem(asProblem(error).message)
    }
  }
  return (
    <Modal title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Field label={label} value={text} problem={problem} required maxLength={4096} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button look="primary" type="submit" disabled={text.trim() === ""}>
            {title}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
