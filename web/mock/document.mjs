// Compares what the mock takes and answers with the document of the API, so that it stays like the server.
import { readFileSync } from "node:fs"
import Ajv from "ajv/dist/2020.js"

const document = JSON.parse(readFileSync(new URL("../api/openapi.json", import.meta.url), "utf8"))
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(document, "api")

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path, pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`) })),
)
operations.sort((a, b) => parameters(a.path) - parameters(b.path)) // /api/cron/preview is no /api/cron/{job}

/** Sentences about requests and responses that are not as the document has them. */
export const differences = new Set()

/** Compares a JSON response, and the body of the request that it answers unless that was refused. */
export function compare({ method, url, body }, status, answer) {
  const { pathname } = new URL(url, "http://mock")
  if (!pathname.startsWith("/api/") || pathname.startsWith("/api/v1/")) return // the API of consumers is not in the document
  const operation = operations.find((operation) => operation.method === method && operation.pattern.test(pathname))
  if (!operation) return void differences.add(`${method} ${pathname} is not in the document`)
  const { path } = operation
  const { requestBody, responses } = document.paths[path][method.toLowerCase()]
  const response = responses[status]
  if (!response) return void differences.add(`${method} ${path} has no response ${status}`)
  const at = `api#/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}/${method.toLowerCase()}`
  if (body !== undefined && requestBody?.content["application/json"]) validate(`${at}/requestBody/content/application~1json/schema`, body, `request of ${method} ${path}`)
  if (response.content?.["application/json"]) validate(`${at}/responses/${status}/content/application~1json/schema`, answer, `response ${status} of ${method} ${path}`)
}

function validate(pointer, value, name) {
  const valid = ajv.getSchema(pointer)
  if (valid(JSON.parse(JSON.stringify(value ?? null)))) return
  for (const { instancePath, message, params } of valid.errors) differences.add(`${name}: ${instancePath.replaceAll(/\d+/g, "*")} ${message} ${JSON.stringify(params)}`)
}

function parameters(path) {
  return path.split("{").length
}
