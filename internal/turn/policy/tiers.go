package policy

// Tier returns the model that a tier stands for, as an id or another name; empty where the policy names none for it.
func (p *Policy) Tier(name string) string {
	switch name {
	case "vanguard":
		return p.Tiers.Vanguard
	case "balance":
		return p.Tiers.Balance
	case "swift":
		return p.Tiers.Swift
	}
	return ""
}
