import { useT } from "../../i18n"
import { UnifiedDiff } from "../../ui/text/UnifiedDiff"
import { diffArguments } from "./argument-diff"

/** What a person has made of a call before they allowed it. */
export default function ArgumentChanges({ asked, ran }: { asked: string; ran: string }) {
  const t = useT()
  return <UnifiedDiff diff={diffArguments(asked, ran)} label={t("approval.difference")} />
}
