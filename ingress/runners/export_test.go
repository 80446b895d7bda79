package runners

// SendKills sends the connected runners their kills, as the hub does every 15 seconds.
func (h *Hub) SendKills() { h.sendKills(h.all()...) }
