import assert from "node:assert/strict"

/** Waits until a field has the value: the page sets it when a response has come. */
export async function hasValue(field, value, limit = 10_000) {
  for (const end = Date.now() + limit; Date.now() < end; await field.page().waitForTimeout(50)) {
    if ((await field.inputValue()) === value) return
  }
  assert.equal(await field.inputValue(), value)
}
