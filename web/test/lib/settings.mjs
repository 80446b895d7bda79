const list = (v) => v.page.getByRole("navigation", { name: "Sections of the settings" })

/** The section of the settings that is shown. */
export const section = (v) => v.page.locator("[aria-labelledby=section-title]")

/** Opens a section of the settings from the account menu, by its title. */
export const openSettings = async (v, title) => {
  await v.page.getByRole("button", { name: /^Account and settings/ }).click()
  await v.page.getByRole("menuitem", { name: "Settings" }).click()
  await list(v).getByRole("link", { name: title, exact: true }).click()
  await section(v).getByRole("heading", { name: title, level: 2, exact: true }).waitFor()
  return section(v)
}

/** Leaves the settings, or what is in front, by keyboard. */
export const closeDialog = async (v) => {
  await v.page.keyboard.press("Escape")
  await v.page.getByRole("dialog").waitFor({ state: "detached" })
  await section(v).waitFor({ state: "detached" })
}
