package codingagent

// Steers remembers whether an agent took the messages that were put into its turn.
type Steers struct{ said Remembered[bool] }

// Settle records whether the agent took the message.
func (s *Steers) Settle(key string, taken bool) {
	if s.said == nil {
		s.said = Remembered[bool]{}
	}
	s.said.Put(key, taken)
}

// May reports whether the agent has the message or may still receive it.
func (s *Steers) May(key string, running bool) bool {
	taken, known := s.said[key]
	if known {
		return taken
	}
	return running
}
