package llm

import "strings"

// conventionNames are the names that the semantic conventions of OpenTelemetry give providers whose connections have other usual names.
var conventionNames = map[string]string{
	"azure": "azure.ai.openai", "bedrock": "aws.bedrock", "gemini": "gcp.gemini", "google": "gcp.gemini", "kimi": "moonshot_ai", "mistral": "mistral_ai",
	"moonshot": "moonshot_ai", "vertex": "gcp.vertex_ai", "watsonx": "ibm.watsonx.ai", "xai": "x_ai",
}

// SplitModel returns the provider and the name of a model by its id, provider/model, as traces and metrics name them: the provider as the
// semantic conventions of OpenTelemetry do, or else by the name of its connection.
func SplitModel(id string) (provider, model string) {
	provider, model, found := strings.Cut(id, "/")
	if !found {
		return "", id
	}
	if known, ok := conventionNames[strings.ToLower(provider)]; ok {
		return known, model
	}
	return provider, model
}
