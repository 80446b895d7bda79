import { useT } from "../i18n"
import { Modal } from "../ui/Modal"
import { Tokens } from "./Tokens"

export default function TokensDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  return (
    <Modal onClose={onClose} title={t("tokens.title")}>
      <Tokens />
    </Modal>
  )
}
