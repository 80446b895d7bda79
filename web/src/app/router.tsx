import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router"
import { lazy } from "react"

import { whenSignedOut } from "../api/client"
import { asProblem } from "../api/problem"
import { meQuery } from "../account/queries"
import { queryClient } from "../api/query-client"
import { ConversationPage } from "../conversation/ConversationPage"
import { StartPage } from "../conversation/StartPage"
import { leave } from "../sidebar/account/signout"
import { SignInPage } from "../signin/SignInPage"
import { BrokenPage, LoadingPage, MissingPage } from "../ui/StatusPages"
import { loginSearch } from "./redirect"
import { Shell } from "./Shell"

const ClientActions = lazy(() => import("./ClientActions"))

const root = createRootRoute({
  component: Outlet,
  errorComponent: BrokenPage,
  notFoundComponent: MissingPage,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: SignInPage,
  validateSearch: loginSearch,
})

const joining = createRoute({
  getParentRoute: () => root,
  path: "/join",
  component: lazyRouteComponent(() => import("../signin/JoinPage")),
})

/** What a link shows of a conversation, to whoever has it. */
const shared = createRoute({
  getParentRoute: () => root,
  path: "/shared/$token",
  component: lazyRouteComponent(() => import("../share/SharedPage")),
})

/** Lets only people who are signed in pass, and sends those without a password to choose one. */
async function admit(path: string) {
  try {
    return await queryClient.query({ ...meQuery, staleTime: "static" })
  } catch (error) {
    if (asProblem(error).status === 401) redirect({ to: "/login", search: path === "/" ? {} : { next: path }, throw: true })
    throw error
  }
}

const newPassword = createRoute({
  getParentRoute: () => root,
  path: "/password",
  component: lazyRouteComponent(() => import("../signin/NewPasswordPage"), "NewPasswordPage"),
  beforeLoad: async () => {
    await admit("/password")
  },
})

/** Where a path of the Temporal UI leads that was opened without the part that stands for this page. */
const open = createRoute({
  getParentRoute: () => root,
  path: "/open",
  component: LoadingPage,
  validateSearch: (search: Record<string, unknown>): { at?: string } => (typeof search.at === "string" ? { at: search.at } : {}),
  beforeLoad: async ({ location: here, search }) => {
    const { temporal_ui } = await admit(here.href)
    const place = /^\/temporal\/(?!k\/)(.*)$/s.exec(search.at ?? "")?.[1]
    if (place === undefined || temporal_ui === "") redirect({ to: "/", replace: true, throw: true })
    location.replace(`${temporal_ui}${place ?? ""}`)
  },
})

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ location }) => {
    const me = await admit(location.href)
    if (me.must_set_password) redirect({ to: "/password", throw: true })
  },
})

const start = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: StartPage,
})

const conversation = createRoute({
  getParentRoute: () => shell,
  path: "/c/$key",
  component: () => <ConversationPage Actions={ClientActions} />,
  validateSearch: (search: Record<string, unknown>): { m?: number } => {
    const message = Number(search.m)
    return Number.isSafeInteger(message) && message > 0 ? { m: message } : {}
  },
})

/** Where a subscription is begun, "add" says whose: the installation's or one's own. */
const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings/{-$section}",
  component: lazyRouteComponent(() => import("../settings/SettingsPage")),
  validateSearch: (search: Record<string, unknown>): { add?: "shared" | "own" } => (search.add === "shared" || search.add === "own" ? { add: search.add } : {}),
})

/** A panel of a plugin. */
const panel = createRoute({
  getParentRoute: () => shell,
  path: "/panels/$plugin/$widget",
  component: lazyRouteComponent(() => import("../panels/PanelPage")),
})

export const router = createRouter({
  routeTree: root.addChildren([signIn, joining, shared, newPassword, open, shell.addChildren([start, conversation, settings, panel])]),
  defaultPendingComponent: LoadingPage,
  defaultPendingMs: 400,
  pathParamsAllowedCharacters: [":"],
  scrollRestoration: false,
})

whenSignedOut(() => {
  const { pathname, href } = router.state.location
  if (pathname === "/login" || pathname === "/join") return
  leave()
  void router.navigate({ to: "/login", search: pathname === "/" ? {} : { next: href }, replace: true })
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
