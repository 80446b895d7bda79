package chat

// Attachment names a file in a message of a person, as its platform names it. What it holds is fetched later.
type Attachment struct {
	Kind string `json:"kind"`           // image, audio, video, file or sticker
	Key  string `json:"key"`            // the platform's name or address of the content
	Name string `json:"name,omitempty"` // as the person called it
	Size int64  `json:"size,omitempty"` // bytes, where the platform says so
}

// Quote is the message that a person answers to, as far as the platform tells its content.
type Quote struct {
	Sender Peer   `json:"sender,omitzero"`
	Text   string `json:"text"`
}
