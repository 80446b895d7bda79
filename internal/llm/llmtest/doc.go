// Package llmtest is a scripted language model behind real HTTP, for tests and benchmarks. It speaks OpenAI's chat
// completions and Responses API (streamed or not) and Anthropic's messages, records every request, misbehaves on demand,
// and answers the same way every time. It is no part of the product.
//
//	server := llmtest.New(t)                 // 127.0.0.1, a free port, closed with the test
//	server.BaseURL()                         // for an OpenAI client; server.URL() for an Anthropic one
//	server.Handle(func(r llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: "hello"} })
//
// # Programs
//
// Without a handler the server runs the last user message. A message is a program when at least one of its
// lines starts with a word of this list; its other lines are ignored, so text that a product adds does no harm. A
// message that is no program is answered with "echo: " and its text, cut to 200 runes.
//
//	say TEXT                  answers TEXT; \n in it is a line break
//	think TEXT                reasoning before the answer of this step
//	call NAME JSON            asks for a tool call; JSON is sent as written, {} when left out
//	then                      begins the next step
//	each                      from here on every call is a separate step
//	repeat N call NAME JSON   N steps of one call; {{n}} in JSON is the number of the step, from 1
//	# TEXT                    ignored, but makes this conversation another one for counting attempts
//
// Lines fill the first step until something cannot belong to it: a say after a call begins the next step, a call after
// a say does not (a model may speak before it calls). So this calls two tools at once, then answers:
//
//	call Shell {"command":"make"}
//	call Read {"path":"README.md"}
//	say done
//
// The server takes the step from the request: the number of assistant messages with tool calls after the last user
// message. After the last step it answers "done".
//
// These lines change how their step is sent. TIMES is how many attempts are hit, all of them when
// left out; attempts are counted per program, step and number of user messages so far. D is a Go duration.
//
//	delay D                   nothing, not even headers, for D
//	gap D                     D between two pieces
//	chunks N                  the text in N pieces
//	stream N D                N pieces, D apart; without a say they are the words "w1 w2 w3 …"
//	fail STATUS [TIMES] [after D] [TEXT]   an error status, with Retry-After, saying TEXT
//	error [TIMES] [TEXT]      an error inside a stream that began with status 200
//	truncate [TIMES]          the stream ends in order but without a finish reason
//	hang [TIMES]              the stream stops in the middle and stays open
//	reset [TIMES]             the connection is reset in the middle of the stream
//	garbage [TIMES]           a piece in the middle is no JSON
//	empty                     an answer without any text
//	finish REASON             another finish reason than the right one
//	ids same | none           every tool call has the id call_0, or none
//	noindex                   tool calls without an index (chat completions only)
//	whole                     each tool call in one piece
//	nousage                   no token counts
//	usage PROMPT COMPLETION [CACHED]   these token counts
//	plain                     a JSON answer though a stream was asked for
//
// A user message that begins with <system-reminder> is passed over when the last user message is looked for.
//
// RequireKey makes the server refuse requests without a key; SetModels sets which models there are, and are listed at
// GET /v1/models. SetWindow makes the server count tokens and refuse what is longer than a context window, as real providers do.
//
// cmd/llmtest runs a server in a separate process; its record is at GET /_requests, DELETE /_requests clears
// it.
package llmtest
