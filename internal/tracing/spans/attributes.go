package spans

import (
	"strings"
	"time"
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// MaxText is the maximum length of a text in an attribute, in bytes.
const MaxText = 16 << 10

// Attributes is a list of attributes. Empty texts are left out.
type Attributes []*commonpb.KeyValue

func (a *Attributes) add(key string, v *commonpb.AnyValue) {
	*a = append(*a, &commonpb.KeyValue{Key: key, Value: v})
}

// Text adds a text, unless it is empty.
func (a *Attributes) Text(key, text string) {
	if text != "" {
		a.add(key, textValue(text))
	}
}

// Int adds a number.
func (a *Attributes) Int(key string, n int) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(n)}})
}

// Positive adds a number, unless it is 0.
func (a *Attributes) Positive(key string, n int) {
	if n > 0 {
		a.Int(key, n)
	}
}

// Float adds a number.
func (a *Attributes) Float(key string, n float64) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: n}})
}

// Bool adds a truth value.
func (a *Attributes) Bool(key string, yes bool) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: yes}})
}

// Texts adds a list of texts.
func (a *Attributes) Texts(key string, texts []string) {
	list := &commonpb.ArrayValue{}
	for _, t := range texts {
		list.Values = append(list.Values, textValue(t))
	}
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}})
}

func textValue(text string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: strings.ToValidUTF8(text, "\uFFFD")}}
}

// Cut bounds a text to MaxText bytes, at the end of a character.
func Cut(text string) string { return cut(text, MaxText) }

func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

func nanoseconds(at time.Time) uint64 {
	if n := at.UnixNano(); !at.IsZero() && n > 0 {
		return uint64(n)
	}
	return 0
}

// event returns an event of a span.
func event(name string, at time.Time, attributes Attributes) *tracepb.Span_Event {
	return &tracepb.Span_Event{Name: name, TimeUnixNano: nanoseconds(at), Attributes: attributes}
}
