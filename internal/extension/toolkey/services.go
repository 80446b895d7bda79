// Package toolkey stores the keys and addresses of the services that tools use: search, pictures, speech, video, transcription, realtime voice.
// A user's is used before the installation's, and that before the environment's.
package toolkey

import (
	"xbot/internal/fault"
)

// The services.
const (
	Tavily        = "tavily"
	CloudsWay     = "cloudsway"
	SearXNG       = "searxng"
	Image         = "image"
	Speech        = "speech"
	Video         = "video"
	Transcription = "transcription"
	Realtime      = "realtime"
)

// service describes one.
type service struct {
	name  string
	title string // in sentences
	base  string // its default address; empty: there is none
	// keyless means that an address is enough.
	keyless bool
	// Variables of the environment; empty: none.
	keyVar, baseVar, modelVar, providerVar, priceVar string
	// probe is a path that answers requests with a valid key at no cost; empty: there is none. probeBody is sent as a POST where it is not empty.
	probe, probeBody string
	provider         string // of through
	header           string // carries the key; empty: Authorization
	// health is the path below the host that a self-hosted server has in place of probe; empty: none.
	health string
}

// CloudsWayKeyOnly is the address of CloudsWay for keys of aisearch.cloudsway.net. Its other keys come with a separate address,
// https://searchapi.cloudsway.net/search/…/smart, which is entered with the key.
const CloudsWayKeyOnly = "https://aisearchapi.cloudsway.net/api/search/smart"

const openAI = "https://api.openai.com/v1"

// services are all, in the order for users.
var services = []service{
	{name: Tavily, title: "search with Tavily", base: "https://api.tavily.com", keyVar: "TAVILY_API_KEY", probe: "/usage"},
	{name: CloudsWay, title: "search with CloudsWay", base: CloudsWayKeyOnly, keyVar: "CLOUDSWAY_SEARCH_KEY", baseVar: "CLOUDSWAY_SEARCH_URL"},
	{name: SearXNG, title: "search with SearXNG", keyless: true, baseVar: "SEARXNG_URL", probe: "/search?q=xbot&format=json"},
	generated(Image, "pictures", "IMAGE"),
	generated(Speech, "speech", "TTS"),
	generated(Video, "video", "VIDEO"),
	transcription(),
	compatible(Realtime, "realtime voice", "S2S"),
}

// KeyVariables returns the variables of the environment that hold keys of services.
func KeyVariables() (out []string) {
	for _, s := range services {
		if s.keyVar != "" {
			out = append(out, s.keyVar)
		}
	}
	return out
}

// compatible returns a service with the API of OpenAI.
func compatible(name, title, prefix string) service {
	return service{
		name: name, title: title, base: openAI, keyless: true, keyVar: prefix + "_API_KEY", baseVar: prefix + "_BASE_URL", modelVar: prefix + "_MODEL", probe: "/models",
	}
}

// transcription returns the service of transcription, which may be a whisper.cpp server.
func transcription() service {
	s := compatible(Transcription, "transcription", "STT")
	s.health = "/health"
	return s
}

// generated returns a service that several providers offer.
func generated(name, title, prefix string) service {
	s := compatible(name, title, prefix)
	s.providerVar, s.priceVar = prefix+"_PROVIDER", prefix+"_PRICE"
	return s
}

// Services returns the names of all services, in the order for users.
func Services() []string {
	out := make([]string, len(services))
	for i, s := range services {
		out[i] = s.name
	}
	return out
}

// of finds a service. It returns NotFound if there is none of that name.
func of(name string) (service, error) {
	for _, s := range services {
		if s.name == name {
			return s, nil
		}
	}
	return service{}, fault.Errorf(fault.NotFound, "there is no service %.40q for tools", name)
}

// variable returns the name of the variable that an administrator of the server would set.
func (s service) variable() string {
	if s.keyVar == "" {
		return s.baseVar
	}
	return s.keyVar
}
