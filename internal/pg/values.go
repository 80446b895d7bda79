package pg

// Nullable returns an id as a nullable column stores it: null for 0.
func Nullable[T ~int64](id T) *int64 {
	if id == 0 {
		return nil
	}
	return new(int64(id))
}

// List returns texts as a column that is not null stores them.
func List(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
