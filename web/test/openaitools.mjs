// A program with OpenAI's official client that brings tools, wants answers in a form and sends files. e2e starts it like openai.mjs, and reads what it
// prints in the same way.
import OpenAI from "openai"
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from "openai/helpers/zod"
import { z } from "zod"

const { XBOT_TEST_URL: baseURL, XBOT_TEST_TOKEN: apiKey } = process.env
const [what, text] = process.argv.slice(2)
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
const model = "xbot"
const messages = [{ role: "user", content: text }]
const parameters = z.object({ city: z.string() })
const Weather = z.object({ city: z.string(), warm: z.boolean() })

// weather is the tool of the program, which notes what it was called with.
function weather(called) {
  const run = ({ city }) => {
    called.push(city)
    return `sunny in ${city}`
  }
  return { name: "get_weather", description: "The weather of a city.", parameters, function: run }
}

// loop answers the calls of responses until there are none. Each request brings the whole input again, or the id of the response before it.
async function loop(called, ask, whole) {
  let input = [{ role: "user", content: text }]
  let previous_response_id
  for (;;) {
    const response = await ask({ model, input, previous_response_id, tools: [zodResponsesFunction(weather(called))] })
    const calls = response.output.filter((item) => item.type === "function_call")
    if (calls.length === 0) return { text: response.output_text, conversation: response.conversation.id }
    const outputs = calls.map(({ call_id, parsed_arguments }) => ({ type: "function_call_output", call_id, output: weather(called).function(parsed_arguments) }))
    if (whole) input = [...input, ...response.output, ...outputs]
    else [input, previous_response_id] = [outputs, response.id]
  }
}

const deeds = {
  // The helpers of the client run its tools until the answer is there.
  async tools() {
    const ask = (called) => ({ model, messages, tools: [zodFunction(weather(called))] })
    const out = {}
    const run = async (name, work) => {
      const called = []
      out[name] = { ...(await work(called)), called }
    }
    const ended = async (runner) => ({ text: await runner.finalContent(), conversation: (await runner.finalChatCompletion()).conversation_id })
    await run("whole", (called) => ended(client.chat.completions.runTools(ask(called))))
    await run("streamed", (called) => ended(client.chat.completions.runTools({ ...ask(called), stream: true })))
    await run("behind", (called) => loop(called, (body) => client.responses.parse(body), false))
    await run("again", (called) => loop(called, (body) => client.responses.parse(body), true))
    await run("streamedResponse", (called) => loop(called, (body) => client.responses.stream(body).finalResponse(), false))
    return out
  },

  // Answers that follow a schema.
  async forms() {
    const response_format = zodResponseFormat(Weather, "weather")
    const body = { model, input: text, text: { format: zodTextFormat(Weather, "weather") } }
    const whole = await client.chat.completions.parse({ model, messages, response_format })
    const streamed = await client.chat.completions.stream({ model, messages, response_format }).finalChatCompletion()
    const response = await client.responses.parse(body)
    const streamedResponse = await client.responses.stream(body).finalResponse()
    return { parsed: [whole.choices[0].message.parsed, streamed.choices[0].message.parsed, response.output_parsed, streamedResponse.output_parsed] }
  },

  // A file and sound, in both APIs.
  async files() {
    const in64 = (content) => Buffer.from(content).toString("base64")
    const chat = await client.chat.completions.create({
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text },
            { type: "file", file: { filename: "../notes.txt", file_data: `data:text/plain;base64,${in64("seven lines")}` } },
            { type: "input_audio", input_audio: { data: in64("RIFF of a song"), format: "wav" } },
          ],
        },
      ],
    })
    const response = await client.responses.create({
      model,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text },
            { type: "input_file", filename: "report.txt", file_data: `data:text/plain;base64,${in64("a report")}` },
          ],
        },
      ],
    })
    const refused = await client.responses
      .create({ model, input: [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }] })
      .then(() => "nothing was refused", (error) => error.param)
    return { chat: chat.choices[0].message.content, response: response.output_text, refused }
  },
}

console.log(JSON.stringify({ done: await deeds[what]() }))
