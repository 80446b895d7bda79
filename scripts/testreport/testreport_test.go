package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func readResults(t *testing.T, files map[string]string) []stage {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	stages, err := readStages(folder)
	require.NoError(t, err)
	return stages
}

const retriedEvents = `{"Action":"start","Package":"xbot/a"}
{"Action":"run","Package":"xbot/a","Test":"TestOne"}
{"Action":"output","Package":"xbot/a","Test":"TestOne","Output":"first attempt\n"}
{"Action":"fail","Package":"xbot/a","Test":"TestOne"}
{"Action":"fail","Package":"xbot/a"}
{"Action":"run","Package":"xbot/a","Test":"TestOne"}
{"Action":"pass","Package":"xbot/a","Test":"TestOne"}
{"Action":"pass","Package":"xbot/a"}
{"Action":"run","Package":"xbot/b","Test":"TestTwo"}
{"Action":"run","Package":"xbot/b","Test":"TestTwo/part"}
{"Action":"pass","Package":"xbot/b","Test":"TestTwo/part"}
{"Action":"pass","Package":"xbot/b","Test":"TestTwo"}
{"Action":"output","Package":"xbot/b","Output":"ok  \txbot/b\t(cached)\n"}
{"Action":"pass","Package":"xbot/b"}
`

func TestReadStages_CountsSecondAttemptsAndCachedTests(t *testing.T) {
	t.Parallel()
	stages := readResults(t, map[string]string{"stages": "go\t12\t20\t0\n", "go.json": retriedEvents})
	require.Len(t, stages, 1)
	require.Equal(t, 3, stages[0].run)
	require.Equal(t, 2, stages[0].cached)
	require.Equal(t, []string{"xbot/a TestOne"}, stages[0].secondAttempts)
	require.Empty(t, stages[0].failures)
}

func TestReadStages_KeepsTheOutputOfWhatFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ events, test, output string }{
		"a test": {`{"Action":"run","Package":"xbot/a","Test":"TestOne"}
{"Action":"output","Package":"xbot/a","Test":"TestOne","Output":"not equal\n"}
{"Action":"fail","Package":"xbot/a","Test":"TestOne"}
{"Action":"fail","Package":"xbot/a"}
`, "xbot/a TestOne", "not equal\n"},
		"a test whose process ended": {`{"Action":"run","Package":"xbot/a","Test":"TestOne"}
{"Action":"output","Package":"xbot/a","Test":"TestOne","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"xbot/a"}
`, "xbot/a TestOne", "panic: test timed out\n"},
		"a package that does not compile": {`a.go:3:1: undefined
{"Action":"output","Package":"xbot/a","Output":"FAIL\txbot/a [build failed]\n"}
{"Action":"fail","Package":"xbot/a"}
`, "xbot/a", "FAIL\txbot/a [build failed]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stages := readResults(t, map[string]string{"stages": "go\t1\t1\t1\n", "go.json": c.events})
			require.Equal(t, []failure{{c.test, []string{c.output}}}, stages[0].failures)
		})
	}
}

func TestReadStages_CountsScriptedAttacks(t *testing.T) {
	t.Parallel()
	stages := readResults(t, map[string]string{"stages": "go\t12\t20\t0\n", "go.json": `{"Action":"pass","Package":"xbot/a","Test":"TestAttack_Bodies"}
{"Action":"pass","Package":"xbot/a","Test":"TestAttack_Bodies/many"}
{"Action":"pass","Package":"xbot/a","Test":"TestAttack_Bodies/many/keys"}
{"Action":"pass","Package":"xbot/a","Test":"TestAttack_Bodies/deep"}
{"Action":"skip","Package":"xbot/a","Test":"TestAttack_Bodies/long"}
{"Action":"pass","Package":"xbot/a","Test":"TestAttack_Alone"}
{"Action":"pass","Package":"xbot/a","Test":"TestAnswer"}
`})
	require.Equal(t, 3, stages[0].attacks, "one of a table each, or a test without a table")
}

func TestReadStages_CountsTheClaimsOfThePage(t *testing.T) {
	t.Parallel()
	stages := readResults(t, map[string]string{"stages": "page\t1\t1\t0\n", "page.log": "…\nserver: 120 claims passed, 0 failed, 1 second attempts, 90 s\nmock: 180 claims passed, 0 failed, 0 second attempts, 80 s\n"})
	require.Equal(t, 300, stages[0].run)
	require.Equal(t, 1, stages[0].again)
}

func TestPrintTable_HasARowForEachStage(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	stages := readResults(t, map[string]string{"stages": "lint\t80\t90\t0\ngo\t12\t20\t1\n", "go.json": retriedEvents})
	require.NoError(t, printTable(&out, stages))
	require.Contains(t, out.String(), "lint       80           90          -               -                -")
	require.Contains(t, out.String(), "FAILED go       12           20          3               2                1")
}

func TestRun_FailsWhereTooManyTestsNeededASecondAttempt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "stages"), []byte("go\t1\t1\t0\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go.json"), []byte(retriedEvents), 0o600))
	require.NoError(t, command{MaxSecondAttempts: 1, Folder: folder}.Run())
	require.ErrorContains(t, command{MaxSecondAttempts: 0, Folder: folder}.Run(), "second attempt")
}

const skippedEvents = `{"Action":"run","Package":"xbot/c","Test":"TestOne"}
{"Action":"output","Package":"xbot/c","Test":"TestOne","Output":"    a_test.go:7: NOT RUN: only root can mount; see README\n"}
{"Action":"output","Package":"xbot/c","Test":"TestOne","Output":"--- SKIP: TestOne (0.00s)\n"}
{"Action":"skip","Package":"xbot/c","Test":"TestOne"}
`

func TestPrintSummary_NamesWhatDidNotRunAndWhy(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	stages := readResults(t, map[string]string{"stages": "go\t1\t1\t0\n", "go.json": skippedEvents + retriedEvents})
	require.NoError(t, printSummary(&out, stages, []string{"401 end-to-end tests"}, []string{`"make test-all" runs them`}))
	require.Equal(t, `Ran:     3 tests of 3 packages, 0 of them scripted attacks, 2 tests from the cache.
Not run: 1 skipped tests; 401 end-to-end tests.
Reasons: only root can mount (1); "make test-all" runs them.
`, out.String())
}

func TestPrintSummary_CountsRareReasonsTogether(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	stages := []stage{{skipped: []string{"a", "b", "c", "d", "e", "f", "f"}}}
	require.NoError(t, printSummary(&out, stages, nil, nil))
	require.Contains(t, out.String(), "Reasons: f (2); a (1); b (1); c (1); others (2).")
}
