import { createMemoryHistory, createRootRoute, createRoute, createRouter } from "@tanstack/react-router"
import { afterEach, describe, expect, test, vi } from "vitest"

import { loginSearch, placeInside } from "./redirect"

const ORIGIN = "https://xbot.example"

describe("a place to go on to", () => {
  test.each([
    ["/", "/"],
    ["/c/agent:main:web:thread:1?m=2", "/c/agent:main:web:thread:1?m=2"],
    ["/settings/people#x", "/settings/people#x"],
    ["/a/../c/x", "/c/x"],
    ["/open?at=%2Ftemporal%2F", "/open?at=%2Ftemporal%2F"],
    ["/%2F%2Fevil.example", "/%2F%2Fevil.example"],
  ])("%j is inside", (next, place) => {
    expect(placeInside(next, ORIGIN)).toBe(place)
    expect(new URL(placeInside(next, ORIGIN) ?? "//evil.example", ORIGIN).origin).toBe(ORIGIN)
  })

  test.each([
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "///evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/.//evil.example",
    "/..//evil.example",
    "/x/..//evil.example",
    "/%2e//evil.example",
    "/./\\evil.example",
    "https://evil.example",
    "https:evil.example",
    "https:/evil.example",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "evil.example",
    "",
    "@evil.example",
    undefined,
    null,
    7,
    ["/"],
    { toString: () => "/" },
  ])("%j is not", (next) => {
    expect(placeInside(next, ORIGIN)).toBeUndefined()
  })
})

afterEach(() => vi.unstubAllGlobals())

test.each(["//evil.example", "/\\evil.example", "javascript:alert(1)", "https://evil.example"])("the route of sign-in drops %j, which its search has", (next) => {
  vi.stubGlobal("location", { origin: ORIGIN })
  const root = createRootRoute()
  const login = createRoute({ getParentRoute: () => root, path: "/login", validateSearch: loginSearch })
  const router = createRouter({ routeTree: root.addChildren([login]), history: createMemoryHistory() })
  expect(router.matchRoutes("/login", { next }).at(-1)?.search).toStrictEqual({ next: undefined })
})
