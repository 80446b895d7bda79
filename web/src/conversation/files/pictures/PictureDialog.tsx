import { Modal } from "../../../ui/Modal"

/** A picture as large as the window lets it be. */
export default function PictureDialog({ name, url, onClose }: { name: string; url: string; onClose: () => void }) {
  return (
    <Modal room title={name} onClose={onClose}>
      <img src={url} alt={name} className="mx-auto max-h-full max-w-full object-contain" />
    </Modal>
  )
}
