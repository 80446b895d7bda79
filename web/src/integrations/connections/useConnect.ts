import { useMutation } from "@tanstack/react-query"

import { connectAccount } from "../../api/connections"

/**
 * Opens the way to a provider in a new tab, which is opened at once: later, a browser would take it for an advertisement. `provider`: its id, or how it is found.
 */
export function useConnect(provider: string | (() => Promise<string>), call?: string) {
  return useMutation({
    mutationFn: async (tab: Window | null) => {
      try {
        const link = await connectAccount(typeof provider === "string" ? provider : await provider(), call)
        if (tab) {
          tab.opener = null // the provider has no business here
          tab.location.replace(link)
        } else location.assign(link)
      } catch (error) {
        tab?.close()
        throw error
      }
    },
  })
}
