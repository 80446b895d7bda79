import { QueryClient, type QueryKey } from "@tanstack/react-query"

import { asProblem } from "./problem"

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always", // the server may be on this machine, which needs no network
      retry: (failures, error) => asProblem(error).passing && failures < 3,
      retryDelay: (failures) => Math.min(300 * 2 ** failures, 5000),
    },
    mutations: { networkMode: "always", retry: false },
  },
})

/**
 * Reads what a key names again, because something about it changed now. A read that is under way ends first, since its
 * answer may be from before the change; whoever asks meanwhile shares the read after it.
 */
export async function reread(queryKey: QueryKey): Promise<void> {
  if (queryClient.isFetching({ queryKey })) await queryClient.refetchQueries({ queryKey }, { cancelRefetch: false })
  await queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
}
