package main

import (
	"bufio"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSetup_KnowsTheServicesOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../web/src/models/services.ts")
	require.NoError(t, err)
	var want, got []string
	for _, found := range regexp.MustCompile(`name: "(\w+)", provider: "(\w+)", address: "([^"]*)"`).FindAllStringSubmatch(string(page), -1) {
		want = append(want, strings.Join(found[1:], " "))
	}
	for _, one := range services {
		got = append(got, strings.Join([]string{one.name, one.provider, one.address}, " "))
	}
	require.NotEmpty(t, want)
	require.Equal(t, want, got)
}

func TestDialog_AsksAgainUntilItUnderstands(t *testing.T) {
	var out strings.Builder
	d := &dialog{in: bufio.NewReader(strings.NewReader("9\nx\n2\n\n\nname\nn")), out: &out}
	n, err := d.choose([]string{"one", "two"}, 0)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, 2, strings.Count(out.String(), "Write a number from 1 to 2."))
	n, err = d.choose([]string{"one", "two"}, 0)
	require.NoError(t, err)
	require.Zero(t, n, "Enter alone is the usual one")
	name, err := d.need("Name")
	require.NoError(t, err)
	require.Equal(t, "name", name)
	agreed, err := d.agrees("Again?")
	require.NoError(t, err)
	require.False(t, agreed, "a last line needs no end")
	_, err = d.need("More")
	require.ErrorIs(t, err, errInputEnded)
}

// unseen is what somebody writes unseen.
type unseen string

func (u unseen) readHidden() (string, error) { return string(u), nil }

func TestDialog_ASecretIsReadUnseenFromATerminal(t *testing.T) {
	var out strings.Builder
	d := &dialog{in: bufio.NewReader(strings.NewReader("")), out: &out, hidden: unseen(" key ")}
	key, err := d.needSecret("Key")
	require.NoError(t, err)
	require.Equal(t, "key", key)
	require.NotContains(t, out.String(), "key")
}

func TestDialog_WhatCannotBeTakenBackIsNotDoneByEnterAlone(t *testing.T) {
	for said, want := range map[string]bool{"\n": false, "n\n": false, "y\n": true, "Yes\n": true, "sure\n": false} {
		d := &dialog{in: bufio.NewReader(strings.NewReader(said)), out: io.Discard}
		got, err := d.insists("Delete it?")
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", said)
	}
}
