package window

// Limits of a model and the shares of them at which the layers begin.
type Limits struct {
	Context int // tokens of input and output together
	Output  int // tokens of the longest answer, which are reserved
	// MaskShare and CompressShare are shares of Context; 0 is the default, 0.6 and 0.75.
	MaskShare, CompressShare float64
}

const compressFrom = 0.75

// CompressAt returns how many tokens a request may have before the conversation is compressed. The longest answer still fits, unless the
// model's own limits would leave less than half of the context to the conversation.
func (l Limits) CompressAt() int {
	share := l.CompressShare
	if share <= 0 {
		share = compressFrom
	}
	room := max(l.Context-l.Output, l.Context/2)
	return min(int(share*float64(l.Context)), room)
}

// MaskAt returns how many tokens a request may have before old results are masked. It is below CompressAt.
func (l Limits) MaskAt() int {
	share := l.MaskShare
	if share <= 0 {
		share = maskFrom
	}
	return min(int(share*float64(l.Context)), int(maskFrom/compressFrom*float64(l.CompressAt())))
}

// Fill returns how full a context with so many tokens is, for Mask: 0.6 at MaskAt and 1 when it is full. With the default shares and an
// answer that also fits it is the share of the context.
func (l Limits) Fill(tokens int) float64 {
	at := l.MaskAt()
	switch {
	case tokens <= 0 || at <= 0:
		return 0
	case tokens <= at:
		return maskFrom * float64(tokens) / float64(at)
	}
	return maskFrom + (1-maskFrom)*float64(tokens-at)/float64(max(1, l.Context-at))
}
