package channel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// maxValue bounds the value of an option, in bytes.
const maxValue = 2048

// standIn replaces a missing value in a trial, so that it does not hide faults of the others.
const standIn = "0"

// Faults returns every fault in the form of an account's settings; none: it can be opened. It makes no requests.
func (d Driver) Faults(settings map[string]string) []chat.ChannelFault {
	var out []chat.ChannelFault
	tried := maps.Clone(settings)
	if tried == nil {
		tried = map[string]string{}
	}
	for _, o := range d.Options {
		kind, text := o.fault(settings[o.Name])
		if kind == "" {
			continue
		}
		out = append(out, chat.ChannelFault{Option: o.Name, Kind: kind, Text: text})
		tried[o.Name] = o.Default
		if o.Required {
			tried[o.Name] = cmp.Or(o.Default, standIn)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !d.has(name) {
			out = append(out, chat.ChannelFault{Kind: chat.FaultUnknown, Text: fmt.Sprintf("%s has no option %s; it has %s", d.Name, name, strings.Join(d.names(), ", "))})
			delete(tried, name)
		}
	}
	_, err := d.Open("", tried, Resources{})
	if err == nil {
		return out
	}
	option, _, _ := strings.Cut(err.Error(), " ")
	if !d.has(option) {
		option = ""
	}
	if option == "" || !slices.ContainsFunc(out, func(f chat.ChannelFault) bool { return f.Option == option }) {
		out = append(out, chat.ChannelFault{Option: option, Kind: chat.FaultForm, Text: err.Error()})
	}
	return out
}

// Values returns the settings of an account by the names of options, with the defaults. It returns Invalid if a required one is missing, which is found
// at where, or a value is none of its choices.
func Values(options []Option, given map[string]string, where string) (map[string]string, error) {
	values := map[string]string{}
	for _, o := range options {
		v := cmp.Or(strings.TrimSpace(given[o.Name]), o.Default)
		if v == "" && o.Required {
			return nil, fault.Errorf(fault.Invalid, "%s is missing: copy it from %s", o.Name, where)
		}
		if v != "" && len(o.Choices) > 0 && !slices.Contains(o.Choices, v) {
			return nil, fault.Errorf(fault.Invalid, "%s must be %s", o.Name, strings.Join(o.Choices, " or "))
		}
		values[o.Name] = v
	}
	return values, nil
}

// fault checks a value without knowledge of the platform.
func (o Option) fault(value string) (kind, text string) {
	switch {
	case strings.TrimSpace(value) == "" && o.Default == "" && o.Required:
		return chat.FaultMissing, o.Name + " is missing"
	case value != "" && len(o.Choices) > 0 && !slices.Contains(o.Choices, value):
		return chat.FaultChoice, fmt.Sprintf("%s must be %s", o.Name, strings.Join(o.Choices, " or "))
	case len(value) > maxValue:
		return chat.FaultForm, fmt.Sprintf("%s is longer than %d bytes; copy it again", o.Name, maxValue)
	case strings.ContainsFunc(value, unicode.IsControl):
		return chat.FaultForm, o.Name + " must be one line without control characters; copy it again"
	}
	return "", ""
}

func (d Driver) has(name string) bool { return slices.Contains(d.names(), name) }

func (d Driver) names() []string {
	var out []string
	for _, o := range d.Options {
		out = append(out, o.Name)
	}
	return out
}
