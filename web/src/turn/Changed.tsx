import { useT } from "../i18n"
import { Changes } from "./Changes"
import { diffArguments } from "./line-diff"

/** What a person has made of a call before they allowed it. */
export default function Changed({ asked, ran }: { asked: string; ran: string }) {
  const t = useT()
  return <Changes diff={diffArguments(asked, ran)} label={t("approval.difference")} />
}
