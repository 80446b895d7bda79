// Package onebot is the channel of ordinary QQ accounts: it connects by OneBot 11 to NapCat, which drives a QQ client.
//
// There are two modes of the same protocol. Forward: the account dials NapCat's WebSocket server and dials again when the
// connection ends. Reverse: NapCat dials a handler of this package (channel.Webhook), and Run serves its connections.
//
//	     dial, or upgrade of a request
//	                 │
//	get_login_info: who are we, and is the token good
//	                 │
//	history since the last event that was taken in      ┐ the protocol repeats nothing,
//	                 │                                  │ so gaps are closed from the history;
//	events, in lanes by chat, each until it is committed┘ receivers drop what they know
//	                 │
//	three heartbeats missed, or the connection ends ──► pause 1 s … 60 s, again
//
// NapCat numbers messages with hashes of 32 bits that may be negative and may repeat, so the ids of envelopes hold the chat
// and the second as well. There is no key that makes a send idempotent: the outcome of a send without an answer is looked
// up in the history of the chat (channel.Finder).
package onebot
