import { makePass } from "../../api/calls"
import { asProblem } from "../../api/problem"
import { Store } from "../../lib/store"
import { type Microphone, openMicrophone, Player } from "./audio"

/** The reason why voice mode ended without the user. */
export type Failure = "blocked" | "noMicrophone" | "failed"

export interface VoiceState {
  at: "connecting" | "listening" | "hearing" | "thinking" | "speaking" | "ended"
  /** Push to talk: only audio between press and release is sent. */
  manual: boolean
  muted: boolean
  pressed: boolean
  /** The last spoken message, and the answer to it. */
  transcript: string
  answer: string
  tool?: { name: string; seconds: number; done: boolean }
  failure?: Failure
  reason: string
}

const initial: VoiceState = { at: "connecting", manual: false, muted: false, pressed: false, transcript: "", answer: "", reason: "" }

interface Event {
  type: string
  item_id?: string
  delta?: string
  transcript?: string
  error?: { type?: string; message?: string }
  tool_name?: string
  status?: string
  elapsed?: number
}

/** Attempts to reconnect, and milliseconds before the first of them. */
const TRIES = 5
const PAUSE = 500

/** Close codes after which the client does not reconnect: see ingress/realtimeproxy. */
const final = (code: number) => code === 1000 || code >= 4000

/** The client of voice mode: microphone, WebSocket and playback. */
export class VoiceClient {
  readonly state = new Store<VoiceState>(initial)
  readonly #key: string
  #player?: Player
  #microphone?: Microphone
  #socket?: WebSocket
  #tries = 0
  #timer?: ReturnType<typeof setTimeout>
  #closed = false
  #run = 0

  constructor(key: string) {
    this.#key = key
  }

  start(): void {
    this.#closed = false
    this.#player = new Player()
    this.state.set(initial)
    void this.#begin()
  }

  /** Ends voice mode. */
  close(): void {
    this.#end(undefined, "")
  }

  /** Starts push to talk, and interrupts the answer. */
  press = (): void => {
    const { manual, pressed, at } = this.state.get()
    if (!manual || pressed || at === "connecting" || at === "ended") return
    this.#interrupt(true)
    this.#send({ type: "input_audio_buffer.clear" })
    this.#set({ pressed: true, at: "hearing", transcript: "", answer: "" })
  }

  /** Ends push to talk, and requests the answer. */
  release = (): void => {
    if (!this.state.get().pressed) return
    this.#send({ type: "input_audio_buffer.commit" })
    this.#set({ pressed: false, at: "thinking" })
  }

  toggleMute = (): void => this.#set({ muted: !this.state.get().muted })

  /** Switches between push to talk and the open microphone. */
  toggleManual = (): void => {
    this.#set({ manual: !this.state.get().manual, pressed: false })
    this.#configure()
  }

  async #begin(): Promise<void> {
    this.#run += 1
    const run = this.#run
    try {
      const opened = await openMicrophone(this.#sendAudio)
      if (this.#closed || run !== this.#run) {
        opened.close()
        return
      }
      this.#microphone = opened
    } catch (error) {
      const name = error instanceof DOMException ? error.name : ""
      const failure = name === "NotAllowedError" || name === "SecurityError" ? "blocked" : name === "NotFoundError" ? "noMicrophone" : "failed"
      this.#end(failure, asProblem(error).message)
      return
    }
    await this.#connect()
  }

  async #connect(): Promise<void> {
    try {
      const { url } = await makePass(`/api/sessions/${encodeURIComponent(this.#key)}/realtime`)
      if (this.#closed) return
      const socket = new WebSocket(location.origin.replace(/^http/, "ws") + url)
      this.#socket = socket
      socket.onmessage = ({ data }: MessageEvent<string>) => this.#handleEvent(JSON.parse(data) as Event)
      socket.onclose = ({ code, reason }) => this.#handleClose(socket, code, reason)
    } catch (error) {
      this.#reconnect(asProblem(error).message)
    }
  }

  #handleClose(socket: WebSocket, code: number, reason: string): void {
    if (this.#closed || socket !== this.#socket) return
    if (final(code)) this.#end("failed", this.state.get().reason || reason)
    else this.#reconnect(reason)
  }

  #reconnect(reason: string): void {
    if (this.#closed) return
    this.#player?.stop()
    if (this.#tries >= TRIES) {
      this.#end("failed", reason)
      return
    }
    this.#set({ at: "connecting", pressed: false })
    this.#timer = setTimeout(() => void this.#connect(), PAUSE * 2 ** this.#tries)
    this.#tries += 1
  }

  #end(failure: Failure | undefined, reason: string): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.#microphone?.close()
    this.#player?.close()
    this.#socket?.close(1000)
    this.#set({ at: "ended", failure, reason, pressed: false })
  }

  readonly #sendAudio = (audio: string): void => {
    const { manual, muted, pressed, at } = this.state.get()
    if (muted || at === "connecting" || (manual && !pressed)) return
    this.#send({ type: "input_audio_buffer.append", audio })
  }

  #configure(): void {
    this.#send({ type: "session.update", session: { turn_detection: this.state.get().manual ? "none" : "server_vad" } })
  }

  /** Stops the playback. The conversation keeps the part of the answer that was heard. */
  #interrupt(cancel: boolean): void {
    if (cancel) this.#send({ type: "response.cancel" })
    const cut = this.#player?.stop()
    if (cut) this.#send({ type: "conversation.item.truncate", item_id: cut.item, content_index: 0, audio_end_ms: cut.heard })
  }

  #handleEvent(event: Event): void {
    const { answer } = this.state.get()
    switch (event.type) {
      case "session.created":
        this.#tries = 0
        this.#configure()
        this.#set({ at: "listening", reason: "" })
        break
      case "input_audio_buffer.speech_started":
        this.#interrupt(false) // the service cancels its response
        this.#set({ at: "hearing", transcript: "", answer: "", tool: undefined })
        break
      case "input_audio_buffer.speech_stopped":
        this.#set({ at: "thinking" })
        break
      case "conversation.item.input_audio_transcription.completed":
        this.#set({ transcript: event.transcript?.trim() ?? "" })
        break
      case "response.created":
        this.#set({ answer: "" })
        break
      case "response.output_audio_transcript.delta":
      case "response.output_text.delta":
        this.#set({ at: "speaking", answer: answer + (event.delta ?? "") })
        break
      case "response.output_audio.delta":
        this.#player?.play(event.item_id ?? "", event.delta ?? "")
        break
      case "response.done":
        this.#set({ at: this.state.get().pressed ? "hearing" : "listening" })
        break
      case "s2s.tool_call":
        this.#set({ at: "thinking", tool: { name: event.tool_name ?? "", seconds: Math.round(event.elapsed ?? 0), done: event.status === "done" } })
        break
      case "error":
        if (event.error?.type === "xbot") this.#set({ reason: event.error.message ?? "" })
    }
  }

  #send(event: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event))
  }

  #set(change: Partial<VoiceState>): void {
    this.state.set({ ...this.state.get(), ...change })
  }
}
