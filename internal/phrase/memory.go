package phrase

// What people are told of memory.
const (
	MemorizeFailed ID = "memorize_failed" // %s why
)

var memories = map[ID]map[Lang]string{
	MemorizeFailed: {
		English: "What was said here before could not be put into memory: %s. It stays readable above.",
		Chinese: "之前的对话未能写入记忆:%s。上文仍可阅读。",
	},
}
