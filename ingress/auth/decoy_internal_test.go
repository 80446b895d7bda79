package auth

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
)

func TestAttack_AnUnknownNameTakesAsLongAsAWrongPassword(t *testing.T) {
	t.Parallel()
	hash, err := hashPassword(t.Context(), lane{name: "test"}, "a password of somebody")
	require.NoError(t, err)
	stored, err := bcrypt.Cost([]byte(hash))
	require.NoError(t, err)
	decoy, err := bcrypt.Cost([]byte(decoyHash()))
	require.NoError(t, err)
	require.Equal(t, stored, decoy)
}
