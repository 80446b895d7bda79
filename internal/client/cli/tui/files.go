package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/text"
	"xbot/internal/client/cli/transfer"
)

type (
	uploadedMsg struct {
		file apiclient.UploadedFile
		err  error
	}
	downloadedMsg struct {
		to  string
		err error
	}
)

func (m *model) upload(args string) tea.Cmd {
	client, key := m.o.Client, m.session.Key
	m.say("Uploading.")
	return m.do(func(ctx context.Context) tea.Msg {
		if key == "" {
			return uploadedMsg{err: errNoSession}
		}
		file, err := transfer.Upload(ctx, client, key, args)
		return uploadedMsg{file, err}
	})
}

// uploaded names the file in the message that is being written.
func (m *model) uploaded(msg uploadedMsg) {
	if msg.err != nil {
		m.complain("Not uploaded: " + msg.err.Error())
		return
	}
	m.say("Uploaded to " + text.Line(msg.file.Path) + ".")
	typed := m.input.Value()
	if typed != "" && !strings.HasSuffix(typed, " ") && !strings.HasSuffix(typed, "\n") {
		typed += " "
	}
	m.setInput(typed + "[file: " + text.Line(msg.file.Path) + "] ")
}

func (m *model) download(args string) tea.Cmd {
	client, key := m.o.Client, m.session.Key
	m.say("Downloading.")
	return m.do(func(ctx context.Context) tea.Msg {
		if key == "" {
			return downloadedMsg{err: errNoSession}
		}
		to, err := transfer.Download(ctx, client, key, args)
		return downloadedMsg{to, err}
	})
}

func (m *model) downloaded(msg downloadedMsg) {
	if msg.err != nil {
		m.complain("Not downloaded: " + msg.err.Error())
		return
	}
	m.say("Downloaded to " + text.Line(msg.to) + ".")
}
