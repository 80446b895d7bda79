import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { ArrowLeft, X } from "lucide-react"
import { Suspense, useEffect } from "react"

import { useAccount } from "../account/account"
import { Header } from "../conversation/Header"
import { useT } from "../i18n"
import { buttonLook } from "../ui/Button"
import { IconButton } from "../ui/IconButton"
import { Note } from "../ui/Note"
import { useShell } from "../ui/shell-context"
import { useHasAside } from "../ui/useMedia"
import { SectionList } from "./SectionList"
import { type SettingsSection, sectionsOf } from "./sections"

/** Everything that can be set: the sections at the left, the open one beside them. On a phone the list comes first. */
export default function SettingsPage() {
  const t = useT()
  const { me } = useAccount()
  const { section: asked } = useParams({ from: "/shell/settings/{-$section}" })
  const beside = useHasAside() // the list has room beside the section
  const sections = sectionsOf(me.user.role === "admin")
  const open = asked === undefined ? (beside ? sections[0] : undefined) : sections.find(({ id }) => id === asked)
  const title = t(open?.title ?? "settings.title")
  useEffect(() => {
    document.title = `${title} · ${t("app.name")}`
  }, [title, t])
  return (
    <main id="main" tabIndex={-1} className="flex h-full min-w-0 flex-1 flex-col outline-none">
      <Header title={t("settings.title")}>
        <Leave />
      </Header>
      <div className="flex min-h-0 flex-1 border-t border-line">
        {(beside || asked === undefined) && <SectionList sections={sections} open={open?.id} narrow={beside} />}
        {open && <Open key={open.id} section={open} back={!beside} />}
        {asked !== undefined && !open && <Missing back={!beside} />}
      </div>
    </main>
  )
}

/** Leads to where the settings were opened, as Escape does. */
function Leave() {
  const t = useT()
  const navigate = useNavigate()
  const { before } = useShell()
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing) void navigate({ href: before() })
    }
    window.addEventListener("keydown", pressed)
    return () => window.removeEventListener("keydown", pressed)
  }, [before, navigate])
  return (
    <IconButton label={t("settings.leave")} onClick={() => void navigate({ href: before() })}>
      <X size={18} aria-hidden />
    </IconButton>
  )
}

function Open({ section: { title, show: Show }, back }: { section: SettingsSection; back: boolean }) {
  const t = useT()
  return (
    <div role="group" aria-labelledby="section-title" tabIndex={0} className="min-w-0 flex-1 overflow-y-auto px-4 pt-4 pb-10 -outline-offset-2 md:px-8">
      <div className="mx-auto max-w-[48rem]">
        {back && <Back />}
        <h2 id="section-title" ref={back ? takeFocus : undefined} tabIndex={-1} className="mb-4 text-title font-semibold tracking-tight outline-none">
          {t(title)}
        </h2>
        <Suspense fallback={<p className="text-small text-ink-3">{t("app.loading")}</p>}>
          <Show />
        </Suspense>
      </div>
    </div>
  )
}

function Back() {
  const t = useT()
  return (
    <Link to="/settings/{-$section}" params={{ section: undefined }} className={buttonLook("quiet", "mb-2 -ml-3")}>
      <ArrowLeft size={15} aria-hidden /> {t("settings.all")}
    </Link>
  )
}

function Missing({ back }: { back: boolean }) {
  const t = useT()
  return (
    <div className="min-w-0 flex-1 px-4 pt-4 md:px-8">
      {back && <Back />}
      <Note tone="plain">{t("app.notFound")}</Note>
    </div>
  )
}

/** What takes the place of the list begins at its heading. */
const takeFocus = (heading: HTMLElement | null) => heading?.focus()
