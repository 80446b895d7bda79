package i18n

// Received says at once that a message arrived.
const Received ID = "received"

var feedback = map[ID]map[Lang]string{
	Received: {English: "Got it!", Chinese: "收到！"},
}
