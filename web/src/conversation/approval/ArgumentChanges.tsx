import { useT } from "../../i18n"
import { Changes } from "../../ui/text/UnifiedDiff"
import { diffArguments } from "./argument-diff"

/** What a person has made of a call before they allowed it. */
export default function Changed({ asked, ran }: { asked: string; ran: string }) {
  const t = useT()
  return <Changes diff={diffArguments(asked, ran)} label={t("approval.difference")} />
}
