// Looks that every menu of the page shares.

export const menuPanel =
  "enter-fade z-50 min-w-48 rounded-lg border border-line bg-overlay p-1 text-ui shadow-overlay outline-none max-h-(--radix-dropdown-menu-content-available-height) overflow-y-auto"

export const menuItem =
  "flex min-h-8 items-center gap-2.5 rounded-md px-2.5 py-1 outline-none select-none data-highlighted:bg-hover data-disabled:text-ink-3"

export const menuLine = "mx-1 my-1 h-px bg-line"

export const menuTitle = "px-2.5 pt-1.5 pb-1 text-small text-ink-3"
