package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/text"
	"xbot/internal/client/cli/transfer"
)

func (m *model) upload(args string) tea.Cmd {
	key := m.session.Key
	if key == "" {
		m.complain("Not uploaded: " + errNoSession.Error())
		return nil
	}
	m.say("Uploading.")
	return request(m, func(ctx context.Context) (apiclient.UploadedFile, error) {
		return transfer.Upload(ctx, m.o.Client, key, args)
	}, m.uploaded)
}

// uploaded names the file in the message that is being written.
func (m *model) uploaded(file apiclient.UploadedFile, err error) {
	if err != nil {
		m.complain("Not uploaded: " + err.Error())
		return
	}
	m.say("Uploaded to " + text.Line(file.Path) + ".")
	typed := m.input.Value()
	if typed != "" && !strings.HasSuffix(typed, " ") && !strings.HasSuffix(typed, "\n") {
		typed += " "
	}
	m.setInput(typed + "[file: " + text.Line(file.Path) + "] ")
}

func (m *model) download(args string) tea.Cmd {
	key := m.session.Key
	if key == "" {
		m.complain("Not downloaded: " + errNoSession.Error())
		return nil
	}
	m.say("Downloading.")
	return request(m, func(ctx context.Context) (string, error) {
		return transfer.Download(ctx, m.o.Client, key, args)
	}, func(to string, err error) {
		if err != nil {
			m.complain("Not downloaded: " + err.Error())
			return
		}
		m.say("Downloaded to " + text.Line(to) + ".")
	})
}
