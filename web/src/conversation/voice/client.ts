import { makePass } from "../../api/calls"
import { asProblem } from "../../api/problem"
import { Store } from "../../lib/store"
import { type Microphone, openMicrophone, Player } from "./audio"

/** Why voice mode ended by itself. */
export type Trouble = "blocked" | "noMicrophone" | "failed"

export interface VoiceState {
  at: "connecting" | "listening" | "hearing" | "thinking" | "speaking" | "ended"
  /** Push to talk: what is said between press and release counts. */
  manual: boolean
  muted: boolean
  pressed: boolean
  /** What the user said last, and what is answered. */
  said: string
  answer: string
  tool?: { name: string; seconds: number; done: boolean }
  trouble?: Trouble
  reason: string
}

const first: VoiceState = { at: "connecting", manual: false, muted: false, pressed: false, said: "", answer: "", reason: "" }

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

/** Tries to connect again after a break, and milliseconds before the first of them. */
const TRIES = 5
const PAUSE = 500

/** Close codes after which connecting again would change nothing: see ingress/realtimeproxy. */
const final = (code: number) => code === 1000 || code >= 4000

/** A conversation by voice, from the microphone to the loudspeaker. */
export class VoiceClient {
  readonly state = new Store<VoiceState>(first)
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
    this.state.set(first)
    void this.#begin()
  }

  /** Ends voice mode. */
  close(): void {
    this.#end(undefined, "")
  }

  /** Begins to talk, and silences the answer. */
  press = (): void => {
    const { manual, pressed, at } = this.state.get()
    if (!manual || pressed || at === "connecting" || at === "ended") return
    this.#interrupt(true)
    this.#send({ type: "input_audio_buffer.clear" })
    this.#set({ pressed: true, at: "hearing", said: "", answer: "" })
  }

  /** Ends what is said: it is answered. */
  release = (): void => {
    if (!this.state.get().pressed) return
    this.#send({ type: "input_audio_buffer.commit" })
    this.#set({ pressed: false, at: "thinking" })
  }

  mute = (): void => this.#set({ muted: !this.state.get().muted })

  /** Changes between push to talk and the open microphone. */
  change = (): void => {
    this.#set({ manual: !this.state.get().manual, pressed: false })
    this.#configure()
  }

  async #begin(): Promise<void> {
    this.#run += 1
    const run = this.#run
    try {
      const opened = await openMicrophone(this.#hear)
      if (this.#closed || run !== this.#run) {
        opened.close()
        return
      }
      this.#microphone = opened
    } catch (error) {
      const name = error instanceof DOMException ? error.name : ""
      const trouble = name === "NotAllowedError" || name === "SecurityError" ? "blocked" : name === "NotFoundError" ? "noMicrophone" : "failed"
      this.#end(trouble, asProblem(error).message)
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
      socket.onmessage = ({ data }: MessageEvent<string>) => this.#on(JSON.parse(data) as Event)
      socket.onclose = ({ code, reason }) => this.#lost(socket, code, reason)
    } catch (error) {
      this.#again(asProblem(error).message)
    }
  }

  #lost(socket: WebSocket, code: number, reason: string): void {
    if (this.#closed || socket !== this.#socket) return
    if (final(code)) this.#end("failed", this.state.get().reason || reason)
    else this.#again(reason)
  }

  #again(reason: string): void {
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

  #end(trouble: Trouble | undefined, reason: string): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    this.#microphone?.close()
    this.#player?.close()
    this.#socket?.close(1000)
    this.#set({ at: "ended", trouble, reason, pressed: false })
  }

  readonly #hear = (audio: string): void => {
    const { manual, muted, pressed, at } = this.state.get()
    if (muted || at === "connecting" || (manual && !pressed)) return
    this.#send({ type: "input_audio_buffer.append", audio })
  }

  #configure(): void {
    this.#send({ type: "session.update", session: { turn_detection: this.state.get().manual ? "none" : "server_vad" } })
  }

  /** Silences the answer. What was heard of it stays in the conversation. */
  #interrupt(cancel: boolean): void {
    if (cancel) this.#send({ type: "response.cancel" })
    const cut = this.#player?.stop()
    if (cut) this.#send({ type: "conversation.item.truncate", item_id: cut.item, content_index: 0, audio_end_ms: cut.heard })
  }

  #on(event: Event): void {
    const { answer } = this.state.get()
    switch (event.type) {
      case "session.created":
        this.#tries = 0
        this.#configure()
        this.#set({ at: "listening", reason: "" })
        break
      case "input_audio_buffer.speech_started":
        this.#interrupt(false) // the service ends its response by itself
        this.#set({ at: "hearing", said: "", answer: "", tool: undefined })
        break
      case "input_audio_buffer.speech_stopped":
        this.#set({ at: "thinking" })
        break
      case "conversation.item.input_audio_transcription.completed":
        this.#set({ said: event.transcript?.trim() ?? "" })
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
