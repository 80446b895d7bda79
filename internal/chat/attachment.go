package chat

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
)

// MaxAttachments is the number of files fetched for one message; the others are only named.
const MaxAttachments = 20

// MaxAudio bounds an audio file that is transcribed, in bytes: OpenAI takes no more.
const MaxAudio = 25 << 20

// Attachment names a file in a message of a user, as its platform names it. The content is fetched later.
type Attachment struct {
	Kind string `json:"kind"`           // image, audio, video, file or sticker
	Key  string `json:"key"`            // the platform's name or address of the content
	Name string `json:"name,omitempty"` // as the sender named it
	Size int64  `json:"size,omitempty"` // bytes, if the platform reports it
	// Of is the platform's id of the message that holds the file, if that is the message replied to and not the one it came with.
	Of string `json:"of,omitempty"`
	// At is the absolute path of an existing file: on the conversation's runner, where its owner put it. It is not fetched, and has no key.
	// Platforms cannot set it.
	At string `json:"-"`
	// Shown is a picture that the conversation already holds. There is no other copy, on no runner. Platforms cannot set it.
	Shown *PictureRef `json:"-"`
}

// Quoted returns the files of a message that is replied to.
func Quoted(of string, files []Attachment) []Attachment {
	out := slices.Clone(files)
	for i := range out {
		out[i].Of = of
	}
	return out
}

// Quote is the message that a user replies to, as far as the platform delivers its content.
type Quote struct {
	Sender Peer   `json:"sender,omitzero"`
	Text   string `json:"text"`
}

// Unread is the text for a message that is replied to and that the platform does not show.
const Unread = "[a message that the platform does not show: ask for it to be sent again]"

// AttachmentState is the state of a file.
type AttachmentState string

// The states of files.
const (
	AttachmentWaiting AttachmentState = "waiting"
	AttachmentStored  AttachmentState = "stored"
	AttachmentFailed  AttachmentState = "failed"
	AttachmentRemoved AttachmentState = "removed" // it was too old
)

// AttachmentFetch is an attachment of a message on its way to the runner of its conversation.
type AttachmentFetch struct {
	Attachment

	N       int // among those of its message, from 1
	State   AttachmentState
	Runner  string      // that stores it temporarily; empty: it was put among the files of the user, and is theirs
	Path    string      // on the runner
	Problem string      // the reason why it is missing
	Picture *PictureRef // made from it; nil: none
	// Transcript is the speech of an audio file; Unheard is why there is none. Both are empty if it was not transcribed.
	Transcript, Unheard string
	Pages               int    // of a PDF that could be read; 0: it is none
	Unshown             string // the reason why no picture was made of a file that is one, or is called one
}

// AttachmentSet is the attachments of one message.
type AttachmentSet struct {
	Inbox    InboxID
	Session  SessionKey
	Channel  string
	Account  string
	To       Address // where the message was written; zero: on no platform
	Label    string  // display name of that place
	Owner    UserID  // owner of the conversation
	Runner   string  // as the conversation names it
	UserName string
	Accepted time.Time
	Waits    bool // the message waits for them
	Files    []AttachmentFetch
	// Command marks a shell command, which runs in the folder Dir of DirRunner: its files go there.
	Command        bool
	Dir, DirRunner string
}

// AttachmentLines returns the placeholder lines for the files of a message that are still being fetched, one per file.
func AttachmentLines(files []Attachment) string {
	var b strings.Builder
	for i, f := range files {
		fmt.Fprintf(&b, "\n[%s: %s]", f.what(), f.Label(i+1))
	}
	return b.String()
}

// what returns the kind of a file, marked if it came with the quoted message.
func (a Attachment) what() string {
	if a.Of != "" {
		return "quoted " + line(a.Kind)
	}
	return line(a.Kind)
}

// maxLabel bounds the displayed part of a name, in characters.
const maxLabel = 120

// Label returns the display name of a file: its name, else its kind and number. It stays on one line and within its brackets.
func (a Attachment) Label(n int) string {
	name := strings.TrimSpace(line(a.Name))
	if name == "" {
		return fmt.Sprintf("%s %d", line(a.Kind), n)
	}
	if runes := []rune(name); len(runes) > maxLabel {
		ending := path.Ext(name)
		if len(ending) > 12 {
			ending = ""
		}
		name = string(runes[:maxLabel-len([]rune(ending))-1]) + "…" + ending
	}
	return name
}

// line returns a name that fits within brackets.
func line(s string) string { return parentheses.Replace(onOneLine(s)) }

// parentheses replaces brackets.
var parentheses = strings.NewReplacer("[", "(", "]", ")")

// onOneLine removes characters that begin another line or change how one is shown.
func onOneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, s)
}

// TextWithAttachments returns the text of a message, with the path of each file in place of its name, or why the file is missing.
func TextWithAttachments(text string, files []AttachmentFetch) string {
	if len(files) == 0 {
		return text
	}
	names := make([]Attachment, len(files))
	var b strings.Builder
	for i, f := range files {
		names[i] = f.Attachment
		b.WriteString("\n" + f.line())
	}
	return strings.TrimLeft(strings.TrimSuffix("\n"+text, AttachmentLines(names))+b.String(), "\n")
}

func (f AttachmentFetch) line() string {
	said := fmt.Sprintf("[%s: %s · ", f.what(), f.Label(f.N))
	switch {
	case f.State == AttachmentStored && f.Path == "":
		return said + fmt.Sprintf("%d bytes]", f.Size)
	case f.State == AttachmentStored:
		return said + fmt.Sprintf("%d bytes · %s%s]", f.Size, f.pages()+f.unshown(), onOneLine(f.Path)) + f.transcriptLine()
	case f.State == AttachmentRemoved:
		return said + "removed, it was old]"
	case f.Problem != "":
		return said + "not fetched: " + line(f.Problem) + "]"
	}
	return said + "not fetched: it did not come in time]"
}

// transcriptLine returns the transcript of an audio file on a separate line, or why there is none.
func (f AttachmentFetch) transcriptLine() string {
	switch {
	case f.Transcript != "":
		return "\n[voice transcript] " + onOneLine(f.Transcript)
	case f.Unheard != "":
		return "\n[voice transcript: not made: " + line(f.Unheard) + "]"
	}
	return ""
}

// pages describes how many pages a PDF has, and which tool reads them.
func (f AttachmentFetch) pages() string {
	switch f.Pages {
	case 0:
		return ""
	case 1:
		return "PDF of 1 page, for Read · "
	}
	return fmt.Sprintf("PDF of %d pages, for Read · ", f.Pages)
}

// unshown describes why a file that is a picture, or is called one, is not shown as one.
func (f AttachmentFetch) unshown() string {
	if f.Unshown == "" {
		return ""
	}
	return "not shown as a picture: " + strings.ReplaceAll(line(f.Unshown), "·", ",") + " · "
}

// OldFile is a stored file past the retention time.
type OldFile struct {
	ID   int64
	Path string
}

// The bounds of the pictures of one request. The newest are shown; of others the model reads the lines that name their files.
const (
	// MaxPictures is how many there are.
	MaxPictures = 20
	// MaxPictureBytes is the total size of all of them. In base64 that is 16 MiB: half of the 32 MB of a request that Anthropic takes
	// (docs.anthropic.com/en/api/overview, "Request size limits"), and less than others do; the rest is for texts.
	MaxPictureBytes = 12 << 20
)

// PictureRef names a picture of a conversation. Its bytes are read by its hash, for the same conversation only.
type PictureRef struct {
	Hash      string `json:"hash" doc:"SHA-256 of the picture as models are shown it, in hexadecimal digits."`
	MediaType string `json:"media_type" enum:"image/jpeg,image/png"`
	Width     int    `json:"width" doc:"In pixels."`
	Height    int    `json:"height" doc:"In pixels."`
	Name      string `json:"name,omitempty" doc:"As the person or the file is called."`
	Path      string `json:"path,omitempty" doc:"Of the file that it was made of, on the runner."`
}

// Picture is a picture reference with its bytes.
type Picture struct {
	PictureRef

	Data []byte
}
