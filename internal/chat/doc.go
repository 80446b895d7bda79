// Package chat defines the shared types of the product: session keys, messages, tool calls, turns and the events that users see. It holds no
// behaviour beyond parsing and building ids, and imports only the standard library, so that every other package can share these types.
package chat
