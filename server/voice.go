package server

import (
	"xbot/ingress/api/endpoint"
	"xbot/ingress/realtimeproxy"
)

// voice returns the proxy of voice mode.
func (in *ingressPart) voice(base *endpoint.Base) *realtimeproxy.Proxy {
	stores := in.core.stores
	return &realtimeproxy.Proxy{
		Base: base, Keys: in.core.models.toolKeys, Store: stores.Realtime, Dispatch: in.dispatch, Prompts: in.agents.promptViewer(), Tools: in.agents.tools,
		Limits: stores.Quota, Bus: in.core.db.bus, Closing: in.closing,
	}
}
