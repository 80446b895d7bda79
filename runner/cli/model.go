package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"xbot/runner/model"
)

// keyVariable may hold the key of the model, for containers; a file is better.
const keyVariable = "XBOT_RUNNER_LLM_KEY"

// modelFlags say which model the owner of the runner offers to their own turns.
type modelFlags struct {
	Provider string `env:"XBOT_RUNNER_LLM_PROVIDER" placeholder:"NAME" help:"Offer a model to the turns of the runner's owner: openai (also for compatible services) or anthropic. Its key stays on this machine."`
	BaseURL  string `name:"base-url" env:"XBOT_RUNNER_LLM_BASE_URL" placeholder:"URL" help:"Base address of the model's API (default: the provider's own)."`
	Model    string `env:"XBOT_RUNNER_LLM_MODEL" placeholder:"NAME" help:"Name of the model."`
	KeyFile  string `env:"XBOT_RUNNER_LLM_KEY_FILE" placeholder:"FILE" help:"File with the API key, read again for each request; default: the variable XBOT_RUNNER_LLM_KEY. A local model may need no key."`
}

// model is nil when none is offered.
func (f *modelFlags) model() (*model.Model, error) {
	if f.Provider == "" {
		if f.BaseURL != "" || f.Model != "" || f.KeyFile != "" {
			return nil, errors.New("a model needs --llm-provider: openai or anthropic")
		}
		return nil, nil
	}
	return model.New(model.Config{Provider: f.Provider, BaseURL: f.BaseURL, Model: f.Model, Key: key{f.KeyFile}})
}

// key is the location of a model's key. The file wins over the variable.
type key struct{ file string }

// Key implements model.KeySource.
func (k key) Key() (string, error) {
	if k.file == "" {
		return strings.TrimSpace(os.Getenv(keyVariable)), nil
	}
	data, err := os.ReadFile(k.file)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
