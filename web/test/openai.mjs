// A program with OpenAI's official client. e2e starts it with XBOT_TEST_URL (the address of the API: of the house with /v1, of services with /api/v1), XBOT_TEST_TOKEN and the name of
// what it is to do. It prints a line of JSON for each thing that a test waits for, and at the end what it was told.
import OpenAI, { APIConnectionError, APIError, AuthenticationError, BadRequestError, NotFoundError } from "openai"

const { XBOT_TEST_URL: baseURL, XBOT_TEST_TOKEN: apiKey } = process.env
const [what, text, key, other] = process.argv.slice(2)
const say = (value) => console.log(JSON.stringify(value))
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
const messages = [{ role: "user", content: text ?? "say hello" }]
const ask = { model: "xbot", messages }

// failed is how the client tells a request that fails.
async function failed(request) {
  try {
    await request
    return "nothing failed"
  } catch (error) {
    const kinds = { AuthenticationError, NotFoundError, BadRequestError, APIConnectionError, APIError }
    const kind = Object.entries(kinds).find(([, type]) => error instanceof type)?.[0] ?? String(error)
    return { kind, code: error.code, param: error.param, status: error.status }
  }
}

// read reads a stream to its end, and says when its first text has come.
async function read(stream) {
  const out = { text: "", chunks: 0, finish: null, usage: null, id: "", conversation: "" }
  for await (const chunk of stream) {
    out.id = chunk.id
    out.conversation = chunk.conversation_id
    const [choice] = chunk.choices
    if (choice?.delta.content && !out.text) say({ began: chunk.conversation_id })
    out.text += choice?.delta.content ?? ""
    out.finish = choice?.finish_reason ?? out.finish
    out.usage = chunk.usage ?? out.usage
    out.chunks++
  }
  return out
}

const deeds = {
  // Everything that is asked and answered.
  async all() {
    const chat = await client.chat.completions.create(ask)
    const stream = await read(await client.chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } }))
    const helper = await client.chat.completions.stream(ask).finalContent()
    const response = await client.responses.create({ model: "xbot", input: text })
    const next = await client.responses.create({ model: "xbot", input: text, previous_response_id: response.id })
    const kept = await client.responses.retrieve(response.id)
    const events = []
    let streamed
    for await (const event of await client.responses.create({ model: "xbot", input: text, stream: true })) {
      if (events.at(-1) !== event.type) events.push(event.type)
      if (event.type === "response.completed") streamed = event.response
    }
    const whole = await client.responses.stream({ model: "xbot", input: text }).finalResponse()
    const models = []
    for await (const model of client.models.list()) models.push(model.id)
    const one = await client.models.retrieve("xbot/main")
    const stranger = new OpenAI({ baseURL, apiKey: "sk-wrong", maxRetries: 0 })
    return {
      chat: { text: chat.choices[0].message.content, usage: chat.usage, id: chat.id },
      stream,
      helper,
      responses: [response, kept, streamed, whole].map((r) => r.output[0].content[0].text),
      output: response.output_text,
      same: next.conversation.id === response.conversation.id && kept.id === response.id,
      events,
      models: [...models, one.id],
      wrongKey: await failed(stranger.chat.completions.create(ask)),
      noModel: await failed(client.chat.completions.create({ ...ask, model: "gpt-none" })),
      tools: await failed(client.chat.completions.create({ ...ask, n: 2 })),
    }
  },

  // What a service is asked, and refuses.
  async service() {
    const chat = await client.chat.completions.create(ask)
    const again = { ...ask, stream: true, stream_options: { include_usage: true }, conversation_id: chat.conversation_id }
    const stream = await read(await client.chat.completions.create(again))
    const helper = await client.chat.completions.stream(ask).finalContent()
    const of = () => client.chat.completions.create({ ...ask, user: "customer-7" }).then(({ conversation_id }) => conversation_id)
    const stranger = new OpenAI({ baseURL, apiKey: `sk-svc-${"0".repeat(48)}`, maxRetries: 0 })
    return {
      chat: { text: chat.choices[0].message.content, usage: chat.usage, conversation: chat.conversation_id },
      stream,
      helper,
      same: [await of(), await of()],
      wrongKey: await failed(stranger.chat.completions.create(ask)),
      unknown: await failed(client.chat.completions.create({ ...ask, conversation_id: "0000000000" })),
      manyChoices: await failed(client.chat.completions.create({ ...ask, n: 2 })),
      nothing: await failed(client.chat.completions.create({ ...ask, messages: [] })),
      noPath: await failed(client.get("/nowhere")),
      models: (await client.models.list()).data.map((m) => m.id),
    }
  },

  // A picture is shown, and another one that is nowhere for the server.
  async picture() {
    const shows = (url) =>
      client.chat.completions.create({
        model: "xbot",
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text },
              { type: "image_url", image_url: { url, detail: "low" } },
            ],
          },
        ],
      })
    const responds = (image_url) =>
      client.responses.create({
        model: "xbot",
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text },
              { type: "input_image", image_url, detail: "auto" },
            ],
          },
        ],
      })
    const chat = await shows(key)
    return { text: chat.choices[0].message.content, chat: await failed(shows(other)), response: await failed(responds(other)) }
  },

  // It goes away in the middle of an answer.
  async abort() {
    const stream = await client.chat.completions.create({ ...ask, stream: true })
    for await (const chunk of stream) {
      if (!chunk.choices[0]?.delta.content) continue
      stream.controller.abort()
      return { conversation: chunk.conversation_id }
    }
  },

  // A stream with a key of its own.
  async stream() {
    const options = { headers: { "Idempotency-Key": key } }
    const request = client.chat.completions.create({ ...ask, stream: true }, options).then(read)
    const lost = await failed(request)
    return lost === "nothing failed" ? await request : { lost }
  },

  // The connection of the first attempt breaks, and the client retries by itself, with a key.
  async cut() {
    let attempts = 0
    const fetch_ = (url, init) => {
      if (++attempts > 1) return fetch(url, init)
      const cut = new AbortController()
      setTimeout(() => {
        say({ lost: true })
        cut.abort()
      }, 2000)
      return fetch(url, { ...init, signal: cut.signal }).catch(() => {
        throw new TypeError("the connection broke")
      })
    }
    const patient = new OpenAI({ baseURL, apiKey, maxRetries: 100, fetch: fetch_, timeout: 300_000 })
    const chat = await patient.chat.completions.create(ask, { headers: { "Idempotency-Key": key } })
    return { text: chat.choices[0].message.content, conversation: chat.conversation_id, attempts }
  },

  // The client retries by itself, without any key: the first attempt is lost and told to be a 503, later ones meet whatever the server is.
  async retry() {
    let attempts = 0
    const counts = []
    const fetch_ = async (url, init) => {
      counts.push(new Headers(init.headers).get("x-stainless-retry-count"))
      if (++attempts > 1) return fetch(url, init)
      const cut = new AbortController()
      fetch(url, { ...init, signal: cut.signal }).catch(() => {})
      await new Promise((then) => setTimeout(then, 2000))
      cut.abort()
      say({ lost: true })
      return new Response('{"error":{"message":"busy"}}', { status: 503, headers: { "content-type": "application/json" } })
    }
    const patient = new OpenAI({ baseURL, apiKey, maxRetries: 100, fetch: fetch_, timeout: 300_000 })
    const chat = await patient.chat.completions.create(ask)
    return { text: chat.choices[0].message.content, conversation: chat.conversation_id, counts }
  },
}

say({ done: await deeds[what]() })
