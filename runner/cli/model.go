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
	Provider string `env:"XBOT_RUNNER_LLM_PROVIDER" placeholder:"NAME" help:"Offer a model to its owner's turns: openai (also for compatible services) or anthropic. The key stays on this machine."`
	BaseURL  string `name:"base-url" env:"XBOT_RUNNER_LLM_BASE_URL" placeholder:"URL" help:"Base address of the model's API (default: the provider's own)."`
	Model    string `env:"XBOT_RUNNER_LLM_MODEL" placeholder:"NAME" help:"Name of the model."`
	KeyFile  string `env:"XBOT_RUNNER_LLM_KEY_FILE" placeholder:"FILE" help:"File that holds the key; read again at each request. Otherwise XBOT_RUNNER_LLM_KEY is used; a model of your own may need none."`
}

// model is nil when none is offered.
func (f *modelFlags) model() (*model.Model, error) {
	if f.Provider == "" {
		if f.BaseURL != "" || f.Model != "" || f.KeyFile != "" {
			return nil, errors.New("a model needs --llm-provider: openai or anthropic")
		}
		return nil, nil
	}
	return model.New(model.Config{Provider: f.Provider, BaseURL: f.BaseURL, Model: f.Model, Key: f.key})
}

// key is asked for at each request. The file wins over the variable.
func (f *modelFlags) key() (string, error) {
	if f.KeyFile == "" {
		return strings.TrimSpace(os.Getenv(keyVariable)), nil
	}
	data, err := os.ReadFile(f.KeyFile)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}
