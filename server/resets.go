package server

import "xbot/ingress"

// conversationCommands begin conversations, go on with them and find what was said in them.
func (in *ingressPart) conversationCommands() []ingress.Command {
	return append(ingress.ResetCommands(words{in.models}), ingress.ContinueCommand(in.store), ingress.SearchCommand(in.store))
}
