import { createInterface } from "node:readline";
/** How long an error or a line of the log may be, in characters. xbot keeps less. */
const maxWords = 4096;
/** What the plugin keeps in the database of xbot, with the permission storage. A key has at most 256 bytes and a value 64 kB. */
var Storage = class {
	plugin;
	person;
	constructor(plugin, person) {
		this.plugin = plugin;
		this.person = person;
	}
	async get(key) {
		return (await this.plugin.ask("storage/get", {
			key,
			person: this.person
		})).value ?? void 0;
	}
	async set(key, value) {
		await this.plugin.ask("storage/set", {
			key,
			value,
			person: this.person
		});
	}
	async delete(key) {
		await this.plugin.ask("storage/delete", {
			key,
			person: this.person
		});
	}
	/** The keys with a prefix that come behind another one, in order: at most 1000. */
	async list(prefix = "", after = "") {
		return (await this.plugin.ask("storage/list", {
			prefix,
			after,
			person: this.person
		})).keys;
	}
};
/** Says by its code what became of a message. After any other error xbot does not know. */
var ChannelError = class extends Error {
	/** -32001: refused, now and later; -32002: too much at once; -32003: nothing was done, and it may work later. */
	code;
	/** Of -32002: when to ask again, in seconds. */
	retryAfter;
	constructor(code, message, retryAfter) {
		super(message);
		this.code = code;
		this.retryAfter = retryAfter;
	}
};
/** One end of the conversation with xbot. */
var Plugin = class {
	/** The settings that an administrator gave; there in handlers. */
	settings = {};
	tools = /* @__PURE__ */ new Map();
	commands = /* @__PURE__ */ new Map();
	enrichers = /* @__PURE__ */ new Map();
	channels = /* @__PURE__ */ new Map();
	widgets = /* @__PURE__ */ new Map();
	hook;
	running = /* @__PURE__ */ new Map();
	waiting = /* @__PURE__ */ new Map();
	next = 0;
	/** Answers calls of a tool. */
	tool(name, f) {
		this.tools.set(name, f);
	}
	/** Answers a slash command. */
	command(name, f) {
		this.commands.set(name, f);
	}
	/** Adds text to prompts. */
	enricher(name, f) {
		this.enrichers.set(name, f);
	}
	/** Makes the plugin the platform of a channel of its plugin.json. What people write is told by ask("channels/receive", …). */
	channel(name, of) {
		this.channels.set(name, of);
	}
	/** Answers what a panel asks, with anything that is JSON of at most 256 kB. */
	widget(name, f) {
		this.widgets.set(name, f);
	}
	/** Decides about the events of all hooks. */
	onHook(f) {
		this.hook = f;
	}
	/** What is kept for a person; without one: for the plugin itself. */
	storage(person = "") {
		return new Storage(this, person);
	}
	/** Writes a line into the log of the server. */
	log(level, message) {
		this.send({
			method: "log",
			params: {
				level,
				message: message.slice(0, maxWords)
			}
		});
	}
	/** Asks xbot something. */
	ask(method, params) {
		const id = ++this.next;
		return new Promise((resolve, reject) => {
			this.waiting.set(id, {
				resolve,
				reject
			});
			if (this.send({
				id,
				method,
				params
			})) return;
			this.waiting.delete(id);
			reject(/* @__PURE__ */ new Error("the message is too long"));
		});
	}
	/** Talks to xbot until xbot ends the plugin. */
	run() {
		const lines = createInterface({ input: process.stdin });
		lines.on("line", (line) => this.take(line));
		lines.on("close", () => process.exit(0));
	}
	take(line) {
		let m;
		try {
			m = JSON.parse(line);
		} catch {
			return;
		}
		if (m.method === void 0) this.answered(m);
		else if (m.method === "shutdown") process.exit(0);
		else if (m.method === "cancel") this.running.get(m.params?.id)?.abort();
		else if (m.id !== void 0) this.handle(m.id, m.method, m.params ?? {});
	}
	answered(m) {
		const waiting = this.waiting.get(m.id ?? "");
		this.waiting.delete(m.id ?? "");
		if (m.error) waiting?.reject(new ChannelError(m.error.code, m.error.message, m.error.data?.retry_after));
		else waiting?.resolve(m.result ?? {});
	}
	async handle(id, method, params) {
		const controller = new AbortController();
		this.running.set(id, controller);
		try {
			this.reply(id, await this.dispatch(method, params, controller.signal));
		} catch (err) {
			const message = (err instanceof Error ? err.message : String(err)).slice(0, maxWords);
			if (method === "tools/call") this.reply(id, {
				text: message,
				error: true
			});
			else if (err instanceof ChannelError) this.send({
				id,
				error: {
					code: err.code,
					message,
					data: { retry_after: err.retryAfter }
				}
			});
			else this.send({
				id,
				error: {
					code: -32e3,
					message
				}
			});
		} finally {
			this.running.delete(id);
		}
	}
	async dispatch(method, params, signal) {
		const asked = (among) => {
			const f = among.get(String(params.name));
			if (!f) throw new Error("the plugin has nothing of this name");
			return f(params, signal);
		};
		if (method.startsWith("channels/")) {
			const f = this.channels.get(String(params.channel))?.[method.slice(9)];
			if (!f) throw new ChannelError(method === "channels/check" ? -32601 : -32001, "the channel cannot do this");
			return await f(params, signal) ?? {};
		}
		const named = async (among) => ({ text: await asked(among) });
		switch (method) {
			case "initialize":
				this.settings = params.settings ?? {};
				return {};
			case "tools/call": return named(this.tools);
			case "commands/run": return named(this.commands);
			case "enrichers/enrich": return named(this.enrichers);
			case "widgets/ask": return await asked(this.widgets) ?? null;
			case "hooks/handle":
				if (!this.hook) throw new Error("there is no hook");
				return this.hook(params.payload, signal);
		}
		throw new Error(`there is no method ${method}`);
	}
	reply(id, result) {
		if (!this.send({
			id,
			result
		})) this.send({
			id,
			error: {
				code: -32e3,
				message: "the answer is too long"
			}
		});
	}
	/** Whether the message was not too long: xbot would end the process. */
	send(m) {
		const line = JSON.stringify({
			jsonrpc: "2.0",
			...m
		}) + "\n";
		if (Buffer.byteLength(line) > 1048576) return false;
		process.stdout.write(line);
		return true;
	}
};
// examples/plugins/guard/main.ts
/** What secrets look like, by what they are. None of the expressions can take long: they have no nested repetitions. */
const kinds = [
	["a key of AWS", /\b(AKIA|ASIA)[0-9A-Z]{16}\b/],
	["a token of GitHub", /\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})/],
	["a key of OpenAI or Anthropic", /\bsk-[A-Za-z0-9_-]{32}/],
	["a token of Slack", /\bxox[abprs]-[A-Za-z0-9-]{20}/],
	["a key of Google", /\bAIza[A-Za-z0-9_-]{35}/],
	["a private key", /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/]
];
const plugin = new Plugin();
/** Says what secret a text holds; undefined: none is known. */
function secretIn(text) {
	for (const [what, pattern] of kinds) if (pattern.test(text)) return what;
	const own = String(plugin.settings.pattern ?? "");
	if (own !== "" && new RegExp(own).test(text)) return "what an administrator calls a secret";
}
/** All texts of a value, so that no escaping of JSON hides one. */
function texts(value) {
	if (typeof value === "string") return value;
	if (Array.isArray(value)) return value.map(texts).join("\n");
	if (value && typeof value === "object") return Object.entries(value).map(([name, v]) => name + "\n" + texts(v)).join("\n");
	return "";
}
/** Counts by keys of their own, so that a count that two processes write at once is not lost. An event that is told twice counts once. */
async function count(payload) {
	await plugin.storage().set("refused/" + payload.event_id.slice(0, 200), (/* @__PURE__ */ new Date()).toISOString());
}
plugin.onHook(async (payload) => {
	if (payload.hook_event_name === "UserPromptSubmit") {
		const what = secretIn(payload.prompt ?? "");
		return what ? { context: `The message of the person holds ${what}. Do not repeat it, and advise them to replace it.` } : {};
	}
	const what = secretIn(texts(payload.tool_input));
	if (!what) return {};
	await count(payload).catch((err) => plugin.log("warn", `a refusal is not counted: ${String(err)}`));
	return {
		decision: plugin.settings.action === "ask" ? "ask" : "deny",
		reason: `the call holds ${what}, which does not belong into commands and files: name a variable or a file instead`
	};
});
plugin.command("guard", async (command) => {
	let refused = 0;
	for (let after = "";;) {
		const keys = await plugin.storage().list("refused/", after);
		refused += keys.length;
		after = keys.at(-1) ?? "";
		if (keys.length < 1e3) break;
	}
	return command.language === "zh" ? `已拒绝 ${refused} 次调用。` : `The guard has refused ${refused} calls.`;
});
plugin.run();
export {};
