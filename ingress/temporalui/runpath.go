package temporalui

import "net/url"

// Root is the path of the Temporal UI.
const Root = "/temporal/"

// RunPath returns the path of a run in the Temporal UI, which the ingress serves behind the sign-in.
func RunPath(namespace, workflow, run string) string {
	return Root + "namespaces/" + url.PathEscape(namespace) + "/workflows/" + url.PathEscape(workflow) + "/" + url.PathEscape(run) + "/history"
}

// RunsPath returns the path of a list of runs in the Temporal UI, those that a query finds.
func RunsPath(namespace, query string) string {
	return Root + "namespaces/" + url.PathEscape(namespace) + "/workflows?" + url.Values{"query": {query}}.Encode()
}
