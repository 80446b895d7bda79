/** Links of this server to files, which are signed, and to its own pages. */
const ours = /^\/(?:files\/[\w.-]{40,}(?:\?.*)?|c\/.*|temporal\/.*)$/

/** Whether an address in an answer means a file where the conversation works, rather than a place of the web or of this server. */
export const isPath = (address: string): boolean => address !== "" && !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i.test(address) && !ours.test(address)

/** A path in an answer, as Markdown writes it. */
export function pathOf(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address // a percent sign that stands for itself
  }
}
