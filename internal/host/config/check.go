package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// check refuses values that parse but cannot work.
func check(settings any) error {
	for _, s := range Describe(settings) {
		if err := checkOne(s); err != nil {
			return err
		}
	}
	return nil
}

// choices are the settings that take one of a few words.
var choices = map[string][]string{
	"LLM_PROVIDER":            {"", "openai", "anthropic", "demo"},
	"LLM_VISION":              {"", "on", "off"},
	"XBOT_TEMPORAL_SUMMARIES": {"on", "off"},
	"XBOT_TEMPORAL_CODEC":     {"off", "on"},
	"XBOT_COPY":               {"off", "on"},
	"XBOT_CONFINE":            {"", "auto", "require", "off"},
	"XBOT_WORKER_VERSIONING":  {"off", "on"},
	"AGENT_CONTEXT_MODE":      {"default", "none"},
	"AGENT_MEMORY_FLUSH":      {"on", "off"},
	"AGENT_PRUNING":           {"off", "cache-ttl", "on"},
	"MEMORY_PROVIDER":         {"flat", "letta"},
	"LLM_EMBEDDING_PROVIDER":  {"openai", "ollama"},
	"LLM_EMBEDDING_OVERLONG":  {"truncate", "compress"},
	"LANGFUSE_ENABLED":        {"false", "true"},
	"XBOT_TRACE_CONTENT":      {"off", "on"},
	"STORAGE_BACKEND":         {"local", "disk", "s3"},
	"LOG_LEVEL":               {"debug", "info", "warn", "error"},
	"LOG_FORMAT":              {"text", "json"},
	"XBOT_HOST_HOOKS":         {"off", "on"},
}

func checkOne(s Setting) error {
	if allowed, ok := choices[s.Name]; ok && !slices.Contains(allowed, s.Value) {
		return fault.Errorf(fault.Invalid, "%s is %q; it must be one of %s", s.Name, s.Value, strings.TrimPrefix(strings.Join(allowed, ", "), ", "))
	}
	if s.Value == "" {
		return nil
	}
	switch s.Name {
	case "XBOT_HTTP_ADDR", "XBOT_METRICS_ADDR", "XBOT_PPROF_ADDR", "TEMPORAL_ADDRESS":
		if _, port, err := net.SplitHostPort(s.Value); err != nil || !isPort(port) {
			return fault.Errorf(fault.Invalid, "%s is %q; it must be host:port, for example 127.0.0.1:8080", s.Name, s.Value)
		}
	case "XBOT_TEMPORAL_PORT", "XBOT_TEMPORAL_UI_PORT":
		if !isPort(s.Value) {
			return fault.Errorf(fault.Invalid, "%s is %s; it must be a port, from 0 to 65535", s.Name, s.Value)
		}
	case "XBOT_PUBLIC_URL", "XBOT_INTERNAL_URL", "LLM_EMBEDDING_BASE_URL", "XBOT_OIDC_ISSUER", "OTEL_EXPORTER_OTLP_ENDPOINT", "LANGFUSE_HOST", "S3_ENDPOINT":
		if u, err := url.Parse(s.Value); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return fault.Errorf(fault.Invalid, "%s is %q; it must be a web address such as https://xbot.example", s.Name, s.Value)
		}
	case "LLM_RETRY_DELAY", "LLM_RETRY_MAX_DELAY", "LLM_RETRY_TIMEOUT", "XBOT_HELD_AFTER", "XBOT_RUNNER_WAIT", "XBOT_APPROVAL_WAIT", "XBOT_HOOKS_KEEP", "XBOT_DOCKER_IDLE":
		if strings.HasPrefix(s.Value, "-") {
			return fault.Errorf(fault.Invalid, "%s is %s; it must not be negative", s.Name, s.Value)
		}
	case "XBOT_TOOL_RULES":
		_, err := Permissions{Rules: strings.Split(s.Value, ",")}.ByTool()
		return err
	case "XBOT_TRUSTED_PROXIES":
		_, err := proxies(strings.Split(s.Value, ","))
		return err
	case "XBOT_HTTP_ALLOW":
		if _, err := safehttp.ParseAllow(strings.Split(s.Value, ",")); err != nil {
			return err
		}
	case "AGENT_MASK_AT", "AGENT_COMPRESS_AT":
		if part, err := strconv.ParseFloat(s.Value, 64); err != nil || !(part >= 0.1 && part <= 0.95) {
			return fault.Errorf(fault.Invalid, "%s is %s; it must be a part of the context window, from 0.1 to 0.95", s.Name, s.Value)
		}
	case "LLM_PRICE_INPUT", "LLM_PRICE_CACHED", "LLM_PRICE_OUTPUT":
		if price, err := strconv.ParseFloat(s.Value, 64); err != nil || !(price >= 0 && price < 1e6) {
			return fault.Errorf(fault.Invalid, "%s is %s; it must be USD for a million tokens, such as 2.5", s.Name, s.Value)
		}
	case "LLM_MAX_CONTEXT", "LLM_MAX_OUTPUT", "AGENT_COMPRESS_COOLDOWN":
		return checkTokens(s)
	case "LLM_RETRY_ATTEMPTS", "AGENT_MAX_ITERATIONS", "LLM_EMBEDDING_MAX_TOKENS":
		if s.Value == "0" || strings.HasPrefix(s.Value, "-") {
			return fault.Errorf(fault.Invalid, "%s is %s; it must be at least 1", s.Name, s.Value)
		}
	}
	return nil
}

// minContext is the smallest context window in which there is room for the system prompt, the tools and an answer.
const minContext = 8_000

func checkTokens(s Setting) error {
	if strings.HasPrefix(s.Value, "-") {
		return fault.Errorf(fault.Invalid, "%s is %s; it must not be negative", s.Name, s.Value)
	}
	if n, err := strconv.Atoi(s.Value); s.Name == "LLM_MAX_CONTEXT" && (err != nil || n > 0 && n < minContext) {
		return fault.Errorf(fault.Invalid, "%s is %s; it must be at least %d tokens, or 0", s.Name, s.Value, minContext)
	}
	return nil
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// TrustedProxies are the networks whose X-Forwarded-For is believed.
func (h HTTP) TrustedProxies() []netip.Prefix {
	out, err := proxies(h.Proxies)
	if err != nil {
		return nil // refused by Load
	}
	return out
}

func proxies(entries []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, entry := range entries {
		entry = strings.TrimSpace(entry)
		if addr, err := netip.ParseAddr(entry); err == nil {
			entry = netip.PrefixFrom(addr, addr.BitLen()).String()
		}
		prefix, err := netip.ParsePrefix(entry)
		if err != nil {
			return nil, fault.Errorf(fault.Invalid, "XBOT_TRUSTED_PROXIES has %q, which is no network such as 10.1.0.0/16 and no address", entry)
		}
		out = append(out, prefix.Masked())
	}
	return out, nil
}
