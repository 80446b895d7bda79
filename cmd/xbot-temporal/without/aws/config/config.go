// Package config refuses to load a configuration of AWS.
package config

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// LoadOptions are of a configuration.
type LoadOptions struct{}

// EnvConfig is read from environment variables.
type EnvConfig struct {
	Credentials aws.Credentials
}

// LoadDefaultConfig returns an error.
func LoadDefaultConfig(context.Context, ...func(*LoadOptions) error) (aws.Config, error) {
	return aws.Config{}, aws.ErrNotBuiltIn
}

// NewEnvConfig returns an error.
func NewEnvConfig() (EnvConfig, error) { return EnvConfig{}, aws.ErrNotBuiltIn }

// WithRegion has no effect.
func WithRegion(string) func(*LoadOptions) error { return nil }

// WithClientLogMode has no effect.
func WithClientLogMode(aws.ClientLogMode) func(*LoadOptions) error { return nil }
