package confine

import "slices"

// HiddenPlaces returns the folders and files of the system that sandboxed commands do not see, and those beneath them that they do. File operations
// go by the same list; home is the user's. It returns an error if the list cannot be made.
func HiddenPlaces(home string) (hide, keep []string, err error) {
	keep = slices.Clone(harmless)
	if dir := resolverFolder(); dir != "" {
		keep = append(keep, dir)
	}
	found, err := findSockets(home)
	return append([]string{"/run", "/dev"}, found...), keep, err
}
