package confine

import "slices"

// Hidden are the folders and files of the system that commands within walls do not see, and those beneath them that they
// do. File operations go by the same list; home is the user's.
func Hidden(home string) (hide, keep []string) {
	keep = slices.Clone(harmless)
	if dir := resolverFolder(); dir != "" {
		keep = append(keep, dir)
	}
	return append([]string{"/run", "/dev"}, findDoors(home)...), keep
}
