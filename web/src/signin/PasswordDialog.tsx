import { useAccount } from "../account/account"
import { useT } from "../i18n"
import { Modal } from "../ui/Modal"
import { toast } from "../ui/toasts"
import { NewPasswordForm } from "./NewPasswordForm"

export default function PasswordDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const { me } = useAccount()
  const done = () => {
    toast(t("password.changed"))
    onClose()
  }
  return (
    <Modal onClose={onClose} title={t("account.password")}>
      <NewPasswordForm username={me.user.name} change onDone={done} />
    </Modal>
  )
}
