package limits_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
	"xbot/internal/llm/limits"
)

// offered are 80 tools named by their places, but for those that the refusals below name.
func offered() []llm.Tool {
	named := map[int]string{
		3: "findPetsByTags", 13: "mcp_victorialogs_field_values", 19: "azure-azmcp-bestpractices-get", 24: "view_agent_graph", 26: "git_capabilities",
		60: "mcp_wordpress-mcp_wc_update_product", 61: "aws___list_regions", 62: "graphenium_add_edge", 63: "run_auto_analysis", 64: "load_conversation_data",
		65: "ls", 66: "agent_manager", 67: "mcp_devtools_process_document", 68: "google-docs_writeSpreadsheet", 69: "Read", 70: "shell", 71: "sendEmailTool",
	}
	out := make([]llm.Tool, 80)
	for i := range out {
		name := named[i]
		if name == "" {
			name = fmt.Sprintf("t%d", i)
		}
		out[i] = llm.Tool{Name: name, Description: "Does something.", Parameters: json.RawMessage(`{"type": "object", "properties": {"path": {"type": "string"}}}`)}
	}
	out[72].Parameters = json.RawMessage(`{"type": "object", "properties": {"x": {"not": {}}}}`)
	out[73].Parameters = json.RawMessage(`{"type":"object","properties":{"a":{"description":"Arguments for the tool (JSON object)"}}}`)
	return out
}

// refusedDefinitions are refusals from public reports, without their request ids.
var refusedDefinitions = []struct {
	source  string
	refusal string
	tools   []string
}{
	{"https://github.com/Automattic/wordpress-mcp/issues/103", `Invalid schema for function 'mcp_wordpress-mcp_wc_update_product': In context=('properties', 'meta_data', 'items', 'properties', 'value', 'type', '6'), array schema missing items.`, []string{"mcp_wordpress-mcp_wc_update_product"}},
	{"https://github.com/janhq/jan/issues/7017", `Invalid schema for function 'aws___list_regions': In context=(), object schema missing properties.`, []string{"aws___list_regions"}},
	{"https://github.com/VictoriaMetrics/mcp-victorialogs/issues/2", `invalid_function_parameters invalid_request_error tools[13].function.parameters Invalid schema for function 'mcp_victorialogs_field_values': In context=('properties', 'field'), array schema missing items.`, []string{"mcp_victorialogs_field_values"}},
	{"https://github.com/Azure/azure-mcp/issues/197", `tools[19].function.parameters Invalid schema for function 'azure-azmcp-bestpractices-get': In context=(), object schema missing properties.`, []string{"azure-azmcp-bestpractices-get"}},
	{"https://github.com/spring-projects/spring-ai/issues/2561", `tools[3].function.parameters Invalid schema for function 'findPetsByTags': In context=('properties', 'tags'), array schema missing items.`, []string{"findPetsByTags"}},
	{"https://github.com/anomalyco/opencode/issues/20273", `Invalid schema for function ‘google-docs_writeSpreadsheet’: In context=(‘properties’, ‘values’, ‘items’), the array schema is missing items.`, []string{"google-docs_writeSpreadsheet"}},
	{"https://github.com/smallmain/vscode-unify-chat-provider/issues/162", `tools[45].parameters Invalid schema for function 'mcp_pencil_replace_all_matching_properties': 'object' is not of type 'object', 'boolean'`, []string{"t45"}},
	{"https://github.com/Vortiago/mcp-azure-devops/pull/30", `Invalid 'tools[21].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`, []string{"t21"}},
	{"https://github.com/getsentry/sentry-mcp/issues/106", `Invalid 'tools[14].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1103 instead.`, []string{"t14"}},
	{"https://github.com/dnakov/anon-kode/issues/45", `400: litellm.BadRequestError: AzureException BadRequestError - Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1701 instead.. Received Model Group=azure/o3-mini`, []string{"t0"}},
	{"https://github.com/kintone/mcp-server/issues/547", `tools.31.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.`, []string{"t31"}},
	{"https://github.com/acomagu/vscode-as-mcp-server/issues/6", `The model returned the following errors: tools.18.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`, []string{"t18"}},
	{"https://github.com/dodopayments/dodopayments-typescript/issues/189", `tools.38.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`, []string{"t38"}},
	{"https://github.com/apify/tester-mcp-client/issues/11", `tools.7.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`, []string{"t7"}},
	{"https://github.com/malloydata/publisher/pull/543", `tools.0.FrontendRemoteMcpToolDefinition.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`, []string{"t0"}},
	{"https://github.com/anthropics/claude-code/issues/5132", `{"message":"tools.43.custom.name: String should have at most 64 characters"}`, []string{"t43"}},
	{"https://github.com/cline/cline/issues/7926", `* GenerateContentRequest.tools[0].function_declarations[28].parameters.properties[time_ranges].items: missing field. * GenerateContentRequest.tools[0].function_declarations[29].parameters.properties[filtering].items: missing field. * GenerateContentRequest.tools[0].function_declarations[36].parameters.properties[filtering].items: missing field.`, []string{"t28", "t29", "t36"}},
	{"https://github.com/google-gemini/gemini-cli/issues/2966", `* GenerateContentRequest.tools[0].function_declarations[18].name: Invalid function name. Must start with a letter or an underscore.`, []string{"t18"}},
	{"https://github.com/kaitranntt/ccs/issues/25", `The GenerateContentRequest proto is invalid: * tools[0].function_declarations[53].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore.`, []string{"t53"}},
	{"https://github.com/google/adk-python/issues/1277", `Invalid JSON payload received. Unknown name "additional_properties" at 'tools[0].function_declarations[1].parameters': Cannot find field. Invalid JSON payload received. Unknown name "additional_properties" at 'tools[0].function_declarations[2].parameters': Cannot find field.`, []string{"t1", "t2"}},
	{"https://github.com/lambda-alpha-labs/Graphenium/issues/37", "Unable to submit request because `graphenium_add_edge` functionDeclaration `parameters.weight` schema specified other fields alongside any_of. When using any_of, it must be the only field set.", []string{"graphenium_add_edge"}},
	{"https://github.com/reportportal/reportportal-mcp-server/issues/25", `Unable to submit request because run_auto_analysis functionDeclaration parameters.analyzer_item_modes schema specified incorrect schema type field. For schema with enum values, schema type should not be OBJECT or ARRAY.`, []string{"run_auto_analysis"}},
	{"https://github.com/tridz-dev/huf/pull/341", `GeminiException BadRequestError - {"error": {"code": 400, "message": "Duplicate function declaration found: load_conversation_data", "status": "INVALID_ARGUMENT"}}`, []string{"load_conversation_data"}},
	{"https://github.com/usestrix/strix/issues/1088", `tool view_agent_graph, tools[24].function.parameters invalid JSON schema for tool view_agent_graph, tools[24].function.parameters: 'required' present but 'properties' is missing`, []string{"view_agent_graph"}},
	{"https://github.com/eigent-ai/eigent/issues/1908", `invalid JSON schema for tool git_capabilities, tools[26].function.parameters: 'required' present but 'properties' is missing`, []string{"git_capabilities"}},
	{"https://github.com/esengine/DeepSeek-Reasonix/issues/4086", `{"code":400,"reason":"InvalidRequestBody","metadata":{"reason":"Invalid schema for function 'ls': null is not of type \"array\""}}`, []string{"ls"}},
	{"https://github.com/Kilo-Org/kilocode/issues/12237", `Invalid schema for function 'agent_manager': schema must be a JSON Schema of 'type: "object"', got 'type: null'.`, []string{"agent_manager"}},
	{"https://github.com/alibaba/spring-ai-alibaba/issues/4576", `Invalid schema for function 'sendEmailTool': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`, []string{"sendEmailTool"}},
	{"https://github.com/Vizards/deepseek-v4-for-copilot/issues/280", `tools[50].function.parameters must be valid JSON (line 1, column 1).`, []string{"t50"}},
	{"https://github.com/kirodotdev/Kiro/issues/11026", `The value at toolConfig.tools.27.toolSpec.inputSchema.json.type must be one of the following: object.`, []string{"t27"}},
	{"https://github.com/awslabs/mcp/issues/3181", `1 validation error detected: Value at 'toolConfig.tools.38.member.toolSpec.name' failed to satisfy constraint: Member must have length less than or equal to 64`, []string{"t37"}},
	{"https://github.com/BerriAI/litellm/issues/19384", `2 validation errors detected: Value '' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must have length greater than or equal to 1; Value '' at 'toolConfig.tools.2.member.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1`, []string{"t0", "t1"}},
	{"https://github.com/mistralai/client-python/issues/91, of another field", `[{"type":"string_type","loc":["body","tools",4,"function","description"],"msg":"Input should be a valid string"}]`, []string{"t4"}},
	{"https://github.com/pydantic/pydantic-ai/issues/728, of another field", `[{'type': 'dict_type', 'loc': ('body', 'tools', 5, 'function', 'parameters'), 'msg': 'Input should be a valid dictionary'}]`, []string{"t5"}},
	{"https://github.com/openai/codex/issues/8829, of another field", `body -> tools -> 6 -> function -> parameters Field required (type=missing)`, []string{"t6"}},
	{"https://github.com/sammcj/mcp-devtools/issues/33", `Failed to validate tool mcp_devtools_process_document: Error: tool parameters array type must have items.`, []string{"mcp_devtools_process_document"}},
	{"https://github.com/ggml-org/llama.cpp/pull/17572", `JSON schema conversion failed: Unrecognized schema: {"not":{}}`, []string{"t72"}},
	{"https://github.com/browseros-ai/BrowserOS/issues/255", `JSON schema conversion failed: Unrecognized schema: {"description":"Arguments for the tool (JSON object)"}`, []string{"t73"}},
}

func TestRefusedTools_ReadsTheToolInTheWordsOfProviders(t *testing.T) {
	for _, c := range refusedDefinitions {
		require.Equal(t, c.tools, namesOf(limits.RefusedTools(c.refusal, offered())), "%s: %s", c.source, c.refusal)
	}
}

func namesOf(tools []llm.Tool) (out []string) {
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

func TestRefusedTools_OfARefusalThatNamesNoDefinitionAreNone(t *testing.T) {
	for _, c := range []struct{ source, refusal string }{
		{"https://github.com/HunorLaczko/ha-groq-cloud-api/issues/20", "tool call validation failed: parameters for tool Read did not match schema: errors: [`/path`: expected array, but got string]"},
		{"https://github.com/groq/groq-typescript/issues/28", `tool_use_failed Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.`},
		{"https://github.com/manthanabc/paws/issues/103", "Function call is missing a thought_signature in functionCall parts. Additional data, function call `default_api:shell` , position 2."},
		{"https://github.com/mcp-use/mcp-use/issues/90", `Invalid 'messages[9].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`},
		{"https://github.com/openclaw/openclaw/issues/12892", `Value at 'messages.73.member.content.2.member.toolUse.name' failed to satisfy constraint: Member must have length less than or equal to 64`},
		{"https://github.com/keinsaasforever/better-chatbot/issues/197", `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 217 instead.`},
		{"https://github.com/browser-use/web-ui/issues/586", `<400> InternalError.Algo.InvalidParameter: Invalid value for "tool_choice": no function named "Read" was specified in the "tools" parameter.`},
		{"https://github.com/labring/FastGPT/issues/4184", `messages with role "tool" must be a response to a message with "tool_calls".`},
		{"https://github.com/earendil-works/pi/issues/3854", `Extra inputs are not permitted, field: 'tools[0].eager_input_streaming', value: True; Extra inputs are not permitted, field: 'tools[49].cache_control'`},
		{"https://github.com/Tracer-Cloud/opensre/issues/3129", "Failed to deserialize the JSON body into the target type: tools[0]: missing field `type` at line 1 column 14421"},
		{"https://github.com/MoonshotAI/kimi-cli/issues/2531", `tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'root': when using anyOf, type should be defined in anyOf items instead of the parent schema>`},
		{"https://github.com/ollama/ollama/issues/10328", `json: cannot unmarshal array into Go struct field .tools.function.parameters.properties.type of type string`},
		{"https://github.com/ggml-org/llama.cpp/issues/25895", `Failed to initialize samplers: failed to parse grammar`},
		{"https://github.com/vllm-project/vllm/issues/16880", `The provided JSON schema contains features not supported by xgrammar.`},
		{"https://github.com/google-gemini/gemini-cli/issues/5270", `Request contains an invalid argument.`},
		{"a tool of somebody else", `Invalid schema for function 'unknown_tool': In context=(), object schema missing properties.`},
		{"a place behind the last one", `tools.99.custom.input_schema: JSON schema is invalid.`},
		{"words that tools are named by", `The model cannot Read the shell description.`},
		{"nothing", ""},
	} {
		require.Empty(t, limits.RefusedTools(c.refusal, offered()), "%s: %s", c.source, c.refusal)
	}
}

func TestRefusedTools_OfARefusalThatNamesAllOfSeveralToolsAreNone(t *testing.T) {
	const both = `Unknown name "strict" at 'tools[0].function_declarations[0].parameters': Cannot find field. Unknown name "strict" at 'tools[0].function_declarations[1].parameters': Cannot find field.`
	require.Empty(t, limits.RefusedTools(both, offered()[:2]))
	require.Len(t, limits.RefusedTools(both, offered()[:3]), 2)
	require.Len(t, limits.RefusedTools(`tools.0.custom.name: String should match pattern`, offered()[:1]), 1)
}

func FuzzRefusedTools(f *testing.F) {
	for _, c := range refusedDefinitions {
		f.Add(c.refusal)
	}
	tools := offered()
	f.Fuzz(func(t *testing.T, refusal string) {
		require.Less(t, len(limits.RefusedTools(refusal, tools)), len(tools))
	})
}
