package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/llm"
)

func endpoint(t testing.TB, key string) *Endpoint {
	t.Helper()
	e, err := NewEndpoint("https://api.example.com/v1", key, 0, nil)
	require.NoError(t, err)
	return e
}

func TestRefusal_MapsWhatProvidersSay(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		status int
		body   string
		want   fault.Kind
	}{
		"OpenAI, bad key":           {401, `{"error":{"message":"Incorrect API key provided: sk-abc.","type":"invalid_request_error","code":"invalid_api_key"}}`, fault.Denied},
		"OpenAI, wrong country":     {403, `{"error":{"code":"unsupported_country_region_territory","message":"Country not supported"}}`, fault.Denied},
		"DeepSeek, no credit":       {402, `{"error":{"message":"Insufficient Balance"}}`, fault.Denied},
		"OpenAI, no such model":     {404, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`, fault.Invalid},
		"a bad parameter":           {400, `{"error":{"message":"Invalid schema for function 'Shell'"}}`, fault.Invalid},
		"a web page":                {404, `<html><body>nginx</body></html>`, fault.Invalid},
		"a redirect":                {302, ``, fault.Invalid},
		"too many requests":         {429, `{"error":{"message":"slow down","type":"rate_limit_error"}}`, fault.RateLimited},
		"no quota":                  {429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, fault.RateLimited},
		"a request over the minute": {429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 35000"}}`, fault.TooLarge},
		"the server failed":         {500, `oops`, fault.Unavailable},
		"bad gateway":               {502, `<html>`, fault.Unavailable},
		"Anthropic, overloaded":     {529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, fault.Unavailable},
		"a request timeout":         {408, ``, fault.Unavailable},
		"a body too large":          {413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, fault.TooLarge},

		"OpenAI, too long":         {400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","code":"context_length_exceeded"}}`, fault.TooLarge},
		"OpenAI, newer":            {400, `{"error":{"message":"Your input exceeds the context window of this model."}}`, fault.TooLarge},
		"DeepSeek, too long":       {400, `{"error":{"message":"This model's maximum context length is 131072 tokens. However, you requested 140000 tokens"}}`, fault.TooLarge},
		"Qwen, too long":           {400, `{"code":"InvalidParameter","message":"Range of input length should be [1, 129024]"}`, fault.TooLarge},
		"vLLM, too long":           {400, `{"object":"error","message":"The decoder prompt (length 40123) is longer than the maximum model length of 32768.","type":"BadRequestError","code":400}`, fault.TooLarge},
		"SGLang, too long":         {400, `{"object":"error","message":"The input (9000 tokens) is longer than the model's context length (8192 tokens)."}`, fault.TooLarge},
		"llama.cpp, too long":      {400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, fault.TooLarge},
		"Gemini, too long":         {400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, fault.TooLarge},
		"Mistral, too long":        {400, `{"message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"}`, fault.TooLarge},
		"Moonshot, too long":       {400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192"}}`, fault.TooLarge},
		"Groq, too long":           {400, `{"error":{"message":"Please reduce the length of the messages or completion."}}`, fault.TooLarge},
		"xAI, too long":            {400, `{"error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, fault.TooLarge},
		"Zhipu, too long":          {400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, fault.TooLarge},
		"Anthropic, too long":      {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, fault.TooLarge},
		"Anthropic, with limit":    {400, "{\"error\":{\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000\"}}", fault.TooLarge},
		"llama.cpp, in the middle": {0, `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`, fault.TooLarge},                                     // https://github.com/openclaw/openclaw/pull/134061
		"llama.cpp, no shift":      {500, `{"error":{"code":500,"message":"context shift is disabled","type":"server_error"}}`, fault.TooLarge},                                         // https://github.com/ikawrakow/ik_llama.cpp/pull/2051
		"Copilot, too long":        {400, `{"error":{"message":"prompt token count of 151316 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, fault.TooLarge}, // https://github.com/anomalyco/opencode/pull/1407
		"OpenRouter, too long":     {400, `{"error":{"code":400,"message":"Input length 140000 exceeds the maximum allowed input length of 131072 tokens."}}`, fault.TooLarge},
		"Cohere, too long":         {400, `{"message":"too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354."}`, fault.TooLarge},                                                                                                                                                                 // https://github.com/cohere-ai/sandbox-topically/issues/4
		"LM Studio, too long":      {400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length."}`, fault.TooLarge},                                                                                           // https://github.com/tinyhumansai/openhuman/issues/3550
		"LiteLLM, too long":        {400, `{"error":{"message":"litellm.BadRequestError: Context Window exceeded for given call. No models have context window large enough for this call.","code":"400"}}`, fault.TooLarge},                                                                                                                   // https://github.com/anomalyco/opencode/pull/44889
		"vLLM, one too many":       {400, `{"error":{"message":"This model's maximum context length is 196608 tokens. However, you requested 16384 output tokens and your prompt contains at least 180225 input tokens, for a total of at least 196609 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, fault.TooLarge}, // https://github.com/0xku/kon/issues/91
		"Z.AI, too long":           {400, `{"error":{"code":"1210","message":"tokens in request more than max tokens allowed"}}`, fault.TooLarge},                                                                                                                                                                                              // https://github.com/NousResearch/hermes-agent/issues/61725
		"Kimi, too long":           {400, `{"error":{"message":"total message size 2100954 exceeds limit 2097152"}}`, fault.TooLarge},                                                                                                                                                                                                          // https://github.com/MoonshotAI/kimi-code/issues/1862
		"llama.cpp, shorter":       {400, `{"error":"request (53192 tokens) exceeds context size (50176 tokens)"}`, fault.TooLarge},                                                                                                                                                                                                            // https://github.com/llmmllab/llmmllab-api/issues/56
		"Bedrock, too long":        {400, `{"message":"ValidationException: Input exceeds the max input token limit"}`, fault.TooLarge},                                                                                                                                                                                                        // https://github.com/openclaw/openclaw/issues/58839
		"total tokens":             {400, `{"detail":"total tokens exceeds the model's max of 4096"}`, fault.TooLarge},                                                                                                                                                                                                                         // https://github.com/anomalyco/opencode/issues/35671
		"SiliconFlow, too long":    {400, `{"code":20015,"message":"number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit."}`, fault.TooLarge},                                                                                                                                                                         // https://github.com/leookun/cursor-byok/issues/129
		"SGLang, an input":         {400, `{"message":"Input length (9000 tokens) exceeds the maximum allowed length (8192 tokens)."}`, fault.TooLarge},                                                                                                                                                                                        // https://github.com/mmcdermott/MEDS_EIC_AR/pull/172
		"a name too long":          {400, `{"error":{"message":"tools[0].name exceeds the maximum allowed length (64 characters)"}}`, fault.Invalid},
		"Bedrock, limited":         {429, `{"message":"ThrottlingException: Too many tokens, please wait before trying again."}`, fault.RateLimited},
		"a gateway's 500":          {500, `{"error":{"message":"upstream: prompt is too long: 210000 tokens > 200000 maximum"}}`, fault.TooLarge},
		"OpenRouter's wrapping":    {400, `{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long\"}}"}}}`, fault.TooLarge},
		"an output limit":          {400, `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens"}}`, fault.Invalid},
		"Groq, output limit":       {400, "{\"error\":{\"message\":\"`max_tokens` must be less than or equal to `40960`, the maximum value for `max_tokens` is less than the `context_window` for this model\"}}", fault.Invalid}, // https://github.com/RooCodeInc/Roo-Code/issues/5136
		"Groq, a shorter one":      {400, "{\"error\":{\"message\":\"max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000\"}}", fault.Invalid},                                                                // https://github.com/skapadia3214/groq-moa/issues/8
		"Ollama, output limit":     {400, `{"error":"max_tokens (384000) exceeds model's maximum output tokens (65536)"}`, fault.Invalid},                                                                                         // https://github.com/openclaw/openclaw/issues/131797
		"Qwen, output limit":       {400, `{"code":"InvalidParameter","message":"<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]"}`, fault.Invalid},                                            // https://github.com/musistudio/claude-code-router/issues/1327
		"OpenAI, output limit":     {400, `{"error":{"message":"Invalid 'max_tokens': integer above maximum value. Expected a value <= 32768, but got 64000 instead."}}`, fault.Invalid},
		"Bedrock, output limit":    {400, `{"message":"The maximum tokens you requested exceeds the model limit of 5120. Try again with a maximum tokens value that is lower than 5120."}`, fault.Invalid}, // https://github.com/danny-avila/LibreChat/issues/6494
		"TGI, too long":            {422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`\"}", fault.TooLarge},
		"vLLM, output limit":       {400, `{"message":"'max_tokens' or 'max_completion_tokens' is too large: 40000. This model's maximum context length is 32768 tokens and your request has 100 input tokens"}`, fault.Invalid},

		"in a stream, overloaded": {0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, fault.Unavailable},
		"in a stream, limited":    {0, `{"error":{"type":"rate_limit_error","message":"slow"}}`, fault.RateLimited},
		"in a stream, bad key":    {0, `{"error":{"type":"authentication_error","message":"no"}}`, fault.Denied},
		"in a stream, invalid":    {0, `{"error":{"type":"invalid_request_error","message":"no"}}`, fault.Invalid},
		"in a stream, a status":   {0, `{"error":{"code":429,"message":"slow"}}`, fault.RateLimited},
		"in a stream, a string":   {0, `{"error":"model crashed"}`, fault.Unavailable},
		"in a stream, DashScope":  {0, `{"code":"Throttling.RateQuota","message":"Requests rate limit exceeded"}`, fault.RateLimited},
		"in a stream, unknown":    {0, `{"error":{}}`, fault.Unavailable},

		"in a stream, no credit":        {0, `{"error":{"message":"Insufficient Balance","type":"unknown_error"}}`, fault.Denied},
		"in a stream, Zhipu, no credit": {0, `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`, fault.Denied},
		"in a stream, one-api":          {0, `{"error":{"message":"用户额度不足","type":"new_api_error","code":"insufficient_user_quota"}}`, fault.Denied},
		"in a stream, OpenRouter":       {0, `{"error":{"code":402,"message":"This request requires more credits, or fewer max_tokens"}}`, fault.Denied},
		"in a stream, MiniMax":          {0, `{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, fault.Denied},
		"in a stream, Baidu, limited":   {0, `{"error_code":18,"error_msg":"Open api qps request limit reached, too many requests"}`, fault.RateLimited},
		"in a stream, in Chinese":       {0, `{"error":{"code":"1302","message":"您的账户已达到速率限制，请您控制请求频率"}}`, fault.RateLimited},
		"in a stream, Gemini":           {0, `[{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}]`, fault.RateLimited},
		"in a stream, Gemini, bad key":  {0, `{"error":{"message":"API key not valid. Please pass a valid API key."}}`, fault.Denied},
		"in a stream, Cloudflare":       {0, `{"success":false,"errors":[{"code":7003,"message":"model not found"}]}`, fault.Invalid},
		"in a stream, Qwen's filter":    {0, `{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}`, fault.Invalid},
		"in a stream, Responses":        {0, `{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"slow"}}}`, fault.RateLimited},
		"in a stream, an inner status":  {0, `{"error":{"http_code":"401","message":"login fail"}}`, fault.Denied},
		"in a stream, JSON in a text":   {0, `{"error":{"message":"{\"error\":{\"message\":\"prompt is too long\",\"code\":400}}"}}`, fault.TooLarge},
		"MiniMax, no credit":            {500, `{"type":"error","error":{"type":"api_error","message":"insufficient balance (1008)"}}`, fault.Denied},
		"Zhipu, no credit":              {429, `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`, fault.RateLimited},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := endpoint(t, "").refusal(c.status, http.Header{}, []byte(c.body)).fault()
			require.Equal(t, c.want, fault.KindOf(err), err.Error())
			require.Equal(t, c.want == fault.Unavailable || c.want == fault.RateLimited, llm.Reason(err) != "")
			require.Contains(t, err.Error(), "api.example.com")
			require.NotContains(t, err.Error(), "<html")
			require.NotNil(t, RefusalOf(err))
		})
	}
}

func TestRefusal_KeepsTheDelay(t *testing.T) {
	t.Parallel()
	e := endpoint(t, "")
	header := http.Header{"Retry-After": {"7"}}
	require.Equal(t, 7*time.Second, fault.After(e.refusal(429, header, nil).fault()))
	require.Equal(t, 7*time.Second, fault.After(e.refusal(503, header, nil).fault()))
	require.Zero(t, fault.After(e.refusal(429, nil, nil).fault()))
	quota := []byte(`{"error":{"message":"no","code":"insufficient_quota"}}`)
	require.Equal(t, quotaDelay, fault.After(e.refusal(429, nil, quota).fault()))
}

func TestRefusal_NamesTheStatusOfAFailure(t *testing.T) {
	t.Parallel()
	e := endpoint(t, "")
	require.Equal(t, "server error, HTTP 500", llm.Reason(e.refusal(500, nil, []byte("oops")).fault()))
	require.Equal(t, "server error", llm.Reason(e.refusal(0, nil, []byte(`{"error":{"message":"inside a stream"}}`)).fault()))
	require.Equal(t, "rate limit", llm.Reason(e.refusal(429, nil, nil).fault()))
}

func TestRefusal_SaysTheReasonOnceAndWhatToDo(t *testing.T) {
	t.Parallel()
	e := endpoint(t, "")
	require.EqualError(t, e.refusal(503, nil, []byte("<html>down</html>")).fault(),
		"api.example.com failed (503): Service Unavailable (server error)")
	require.EqualError(t, e.refusal(401, nil, []byte(`{"error":{"message":"bad key."}}`)).fault(),
		"api.example.com does not accept the API key or the account (401): bad key; check the key")
	require.EqualError(t, e.refusal(404, nil, nil).fault(),
		"api.example.com has no such model or no such API there (404): Not Found; check the model's name and the base URL")
	require.EqualError(t, e.refusal(422, nil, []byte(`{"detail":[{"msg":"field required"}]}`)).fault(),
		"api.example.com refused the request (422): field required")
}

func TestRefusal_NeverRepeatsAKeyOrAWholeBody(t *testing.T) {
	t.Parallel()
	const key = "0f9c2a7d-weird-provider-key"
	e := endpoint(t, key)
	bodies := []string{
		`{"error":{"message":"Incorrect API key provided: ` + key + `"}}`,
		`{"error":{"message":"Incorrect API key provided: sk-proj-0f9c2a7dAAAA1111"}}`,
		`{"error":{"message":"Incorrect API key provided: 0f9c****************2a7d."}}`,
		`header was Authorization: Bearer 0f9c2a7d`,
		`token eyJhbGciOiJIUzI1NiJ9.0f9c2a7dAAAAAAAAAAAAA`,
	}
	for _, body := range bodies {
		err := e.refusal(401, nil, []byte(body)).fault()
		require.NotContains(t, err.Error(), "0f9c", body)
		require.Contains(t, err.Error(), "***")
	}
	long := e.refusal(400, nil, []byte(strings.Repeat("字\n\x00", 20_000))).fault().Error()
	require.LessOrEqual(t, utf8.RuneCountInString(long), maxQuoteRunes+100)
	require.NotContains(t, long, "\n")
	require.NotContains(t, long, "\x00")
	require.True(t, utf8.ValidString(long))
	require.Contains(t, e.quote("the key-management-service-of-yours is down"), "key-management")
}

func TestRefusal_WordsSayWhereTheFaultIs(t *testing.T) {
	t.Parallel()
	e := endpoint(t, "topsecretkey")
	for name, c := range map[string]struct{ body, words string }{
		"OpenAI, a parameter": {`{"error":{"message":"Invalid schema","param":"tools[13].function.parameters","code":"invalid_function_parameters"}}`, "invalid_function_parameters tools[13].function.parameters Invalid schema"},
		"Pydantic":            {`{"detail":[{"loc":["body","tools",0,"function","name"],"msg":"too long"},{"loc":["body","tools",4,"function"],"msg":"x"}]}`, "body.tools.0.function.name body.tools.4.function too long"},
		"a key":               {`{"error":{"message":"no topsecretkey","param":"topsecretkey"}}`, "*** no ***"},
		"a gateway":           {`{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"tools.3.name: bad\"}}"}}}`, "Provider returned error: tools.3.name: bad"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, words, ok := llm.RefusalOf(e.refusal(400, nil, []byte(c.body)).fault())
			require.True(t, ok)
			require.Equal(t, 400, status)
			require.Equal(t, c.words, words)
		})
	}
	long := `{"error":{"message":"` + strings.Repeat("* tools[0].function_declarations[7].parameters: missing field. ", 20) + `the end"}}`
	_, words, _ := llm.RefusalOf(e.refusal(400, nil, []byte(long)).fault())
	require.Contains(t, words, "the end", "also behind what a sentence repeats")
	_, _, ok := llm.RefusalOf(llm.ErrTimeout)
	require.False(t, ok)
}

func FuzzRefusal_ReadsAnyBody(f *testing.F) {
	f.Add(400, []byte(`{"error":{"message":"x","metadata":{"raw":"{\"error\":\"y\"}"}}}`))
	f.Add(0, []byte(`[{"error":{"code":"429"}}]`))
	f.Add(200, []byte(`<html>`))
	f.Add(200, []byte("\xec0"))
	f.Add(500, []byte(`{"detail":[{"msg":null}]}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := &Endpoint{Host: "h", Key: "topsecretkey"}
		err := e.refusal(status, nil, body).fault()
		require.NotEmpty(t, fault.KindOf(err))
		require.NotContains(t, err.Error(), e.Key)
		require.True(t, utf8.ValidString(err.Error()))
		require.LessOrEqual(t, len(err.Error()), 4*maxQuoteRunes+200)
		_, words, ok := llm.RefusalOf(err)
		require.True(t, ok)
		require.NotContains(t, words, e.Key)
		require.LessOrEqual(t, utf8.RuneCountInString(words), maxWordRunes+1)
	})
}
