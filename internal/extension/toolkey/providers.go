package toolkey

import (
	"slices"

	"xbot/internal/fault"
)

// The providers of pictures, speech and video.
const (
	OpenAI     = "openai" // and every service with its API
	Gemini     = "gemini"
	DashScope  = "dashscope" // Alibaba Cloud Model Studio: Qwen and Wan
	ElevenLabs = "elevenlabs"
	MiniMax    = "minimax"
)

// provider describes an API that a service can be reached by.
type provider struct {
	name  string
	title string
	base  string // its address
	// header carries the key without a prefix; empty: Authorization, as a bearer token.
	header string
	// probe is a path that answers requests with a valid key at no cost; probeBody is sent as a POST where it is not empty.
	probe, probeBody string
	services         []string
}

// providers are all; the first one of a service is its default.
var providers = []provider{
	{name: OpenAI, title: "OpenAI", base: openAI, probe: "/models", services: []string{Image, Speech, Video}},
	{name: Gemini, title: "Google Gemini", base: "https://generativelanguage.googleapis.com/v1beta", header: "x-goog-api-key", probe: "/models", services: []string{Image, Video}},
	{name: DashScope, title: "Alibaba Cloud Model Studio", base: "https://dashscope.aliyuncs.com/api/v1", probe: "/tasks/", services: []string{Image, Video}},
	{name: ElevenLabs, title: "ElevenLabs", base: "https://api.elevenlabs.io/v1", header: "xi-api-key", probe: "/user", services: []string{Speech}},
	{name: MiniMax, title: "MiniMax", base: "https://api.minimax.io/v1", probe: "/get_voice", probeBody: `{"voice_type":"system"}`, services: []string{Speech}},
}

// Providers returns the names of the providers of a service, the default one first; none: its API is the only one.
func Providers(service string) []string {
	var out []string
	for _, p := range providers {
		if slices.Contains(p.services, service) {
			out = append(out, p.name)
		}
	}
	return out
}

// through returns the description of a service as a provider offers it. Invalid: it does not.
func (s service) through(name string) (service, error) {
	known := Providers(s.name)
	if len(known) == 0 {
		if name != "" {
			return s, fault.Errorf(fault.Invalid, "%s has no choice of a provider", s.title)
		}
		return s, nil
	}
	if name == "" {
		name = known[0]
	}
	i := slices.IndexFunc(providers, func(p provider) bool { return p.name == name && slices.Contains(p.services, s.name) })
	if i < 0 {
		return s, fault.Errorf(fault.Invalid, "the provider %.40q does not make %s; choose one of %v", name, s.title, known)
	}
	p := providers[i]
	s.provider, s.base, s.header, s.probe, s.probeBody = p.name, p.base, p.header, p.probe, p.probeBody
	s.keyless = p.name == OpenAI
	if p.name == OpenAI && s.name == Video { // OpenAI shut its Videos API down on 2026-09-24; others still offer it
		s.base = ""
	}
	return s, nil
}
