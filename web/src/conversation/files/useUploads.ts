import { useT } from "../../i18n"
import { useStore } from "../../lib/store"
import { sendFile } from "./upload"
import { type Upload, Uploads } from "./uploads"

export interface UploadControls {
  uploads: Upload[]
  addFiles: (files: File[]) => void
  dropUpload: (id: number) => void
}

const known = new Map<string, Uploads>()

/** The uploads into a session go on when the reader leaves it. */
function uploadsOf(key: string, draft: string): Uploads {
  const place = `${draft} ${key}` // the page where conversations begin has a draft of its own
  const uploads = known.get(place) ?? new Uploads(key, draft, sendFile)
  known.set(place, uploads)
  return uploads
}

/** The uploads into a session, which `ready` makes if need be. The files are named in the draft called `draft`. */
export function useUploads(key: string, draft: string, ready: () => Promise<unknown>): UploadControls {
  const t = useT()
  const sending = uploadsOf(key, draft)
  const uploads = useStore(sending.entries)
  return {
    uploads,
    addFiles: (files) => sending.add(files, ready, t("files.tooLarge")),
    dropUpload: (id) => sending.drop(id),
  }
}
