// Questions of the scripted model to a person, by the tool AskUser, and by a card that waits: as the server asks where no card is shown.

/** The card of a conversation on Feishu, in words (internal/turn/question/card.go). */
const lunch = [
  { name: "place", text: "Place", options: [{ label: "Noodles" }, { label: "Rice" }], above: "**Lunch**\n\nWhere to?" },
  { name: "note", text: "Note", optional: true, other: true },
  { name: "action", text: "Button", options: [{ label: "Go" }], default: "Go" },
]

/** What a call asks; undefined for calls of other tools, and for one that asks nothing. */
export function questionsOf(call) {
  if (call.name === "card_send") return JSON.parse(call.arguments).wait_response ? lunch : undefined
  if (call.name !== "AskUser") return undefined
  const { questions = [] } = JSON.parse(call.arguments)
  if (questions.length === 0) return undefined
  return questions.map(({ question, options = [], multi_select: multi, allow_other: other }, n) => ({
    name: `q${n + 1}`,
    text: question,
    options: options.length > 0 ? options.map((option) => (typeof option === "string" ? { label: option } : option)) : undefined,
    multi,
    other: other || options.length === 0,
  }))
}

/** What a typed text answers: the number or the label of an option, else the text. */
export function readAnswers(questions, text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  return Object.fromEntries(
    questions.map(({ name, options = [] }, n) => {
      const said = (lines.length === questions.length ? lines[n] : text).trim()
      return [name, [options[Number(said) - 1]?.label ?? said]]
    }),
  )
}

export const said = (answers) => Object.values(answers).map((list) => list.join(", ")).join(" · ")

/** What the model reads of the answers. */
export function resultOf(questions, answers) {
  if (questions === lunch) return JSON.stringify({ action: "Go", values: { place: answers.place[0] } })
  if (questions.length === 1) return answers.q1.join("\n")
  return questions.map(({ name, text }) => `${text}\n→ ${answers[name].join("\n→ ")}`).join("\n")
}
