package table

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzRead(f *testing.F) {
	f.Add("a.csv", []byte("a,b\n1,2"))
	f.Add("a.xlsx", []byte("PK"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		got, err := read(request{Name: name}, data)
		if err == nil {
			require.NoError(t, got.check())
		}
	})
}
