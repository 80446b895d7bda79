import { memoryWords } from "../i18n/memory"
import { useTable } from "../i18n/table"
import { ProfileForm } from "../profile/ProfileForm"
import { Modal } from "../ui/Modal"
import MemoryView from "./MemoryView"

/** What is remembered of the person, in front of the conversation. */
export default function MemoryDialog({ onClose }: { onClose: () => void }) {
  const say = useTable(memoryWords)
  return (
    <Modal wide onClose={onClose} title={say("title")}>
      <ProfileForm />
      <MemoryView />
    </Modal>
  )
}
