package chat

// MaxPictures is how many pictures a model is shown at once; the newest are.
const MaxPictures = 20

// PictureRef names a picture of a conversation. Its bytes are read by its hash, for the same conversation only.
type PictureRef struct {
	Hash      string `json:"hash" doc:"SHA-256 of the picture as models are shown it, in hexadecimal digits."`
	MediaType string `json:"media_type" enum:"image/jpeg,image/png"`
	Width     int    `json:"width" doc:"In pixels."`
	Height    int    `json:"height" doc:"In pixels."`
	Name      string `json:"name,omitempty" doc:"As the person or the file is called."`
	Path      string `json:"path,omitempty" doc:"Of the file that it was made of, on the runner."`
}

// Picture is one with its bytes.
type Picture struct {
	PictureRef

	Data []byte
}

// PicturesOf are the hashes of the pictures that messages of a window show from one on, each once; 0: none.
func (w Window) PicturesOf(from MessageID) []string {
	var out []string
	if from == 0 {
		return nil
	}
	seen := map[string]bool{}
	add := func(refs []PictureRef) {
		for _, r := range refs {
			if !seen[r.Hash] {
				seen[r.Hash] = true
				out = append(out, r.Hash)
			}
		}
	}
	for _, l := range w.Lines {
		if l.Message.ID < from {
			continue
		}
		add(l.Message.Pictures)
		for _, c := range l.Message.ToolCalls {
			add(c.Pictures)
		}
	}
	return out
}
