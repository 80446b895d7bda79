import { useT } from "../i18n"
import { Modal } from "../ui/Modal"
import UsageView from "./UsageView"

/** What was used, in front of the conversation. */
export default function UsageDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  return (
    <Modal wide onClose={onClose} title={t("usage.title")}>
      <UsageView onLeave={onClose} />
    </Modal>
  )
}
