import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"

import { type InstallationPresets, readInstallationPresets, setInstallationPresets } from "../api/permissions"
import { permissionsQuery } from "./queries"

const query = { queryKey: ["installation-presets"], queryFn: readInstallationPresets }

/**
 * The presets of the installation and changing them, for administrators. Changes go one after the other, each from what holds then; after a
 * failure that is read again, so that the next attempt begins from it.
 */
export function useInstallationPresets() {
  const client = useQueryClient()
  const { data, error } = useQuery(query)
  const change = useMutation({
    scope: { id: "installation-presets" },
    mutationFn: async (part: Partial<InstallationPresets>) => setInstallationPresets({ ...(await client.query({ ...query, staleTime: "static" })), ...part }),
    onSuccess: (read) => {
      client.setQueryData(query.queryKey, read)
      return client.invalidateQueries({ queryKey: permissionsQuery.queryKey })
    },
    onError: () => client.invalidateQueries({ queryKey: query.queryKey }),
  })
  const shown = data && change.isPending ? { ...data, ...change.variables } : data
  return { data, shown, failed: error ?? change.error, tried: !change.isIdle, change: change.mutate }
}
