package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	plugin "xbot/sdk/go"
)

// The shapes are those of https://core.telegram.org/bots/api, as far as they are used.
type (
	update struct {
		ID      int64    `json:"update_id"`
		Message *message `json:"message"`
		Edited  *message `json:"edited_message"`
	}
	message struct {
		ID       int64    `json:"message_id"`
		Thread   int64    `json:"message_thread_id"`
		Topic    bool     `json:"is_topic_message"`
		From     *user    `json:"from"`
		Chat     chat     `json:"chat"`
		Date     int64    `json:"date"` // seconds since 1970
		Text     string   `json:"text"`
		Caption  string   `json:"caption"`
		Reply    *message `json:"reply_to_message"`
		Photo    []remote `json:"photo"` // of one picture, the largest last
		Document *remote  `json:"document"`
		Voice    *remote  `json:"voice"`
		Audio    *remote  `json:"audio"`
		Video    *remote  `json:"video"`
	}
	user struct {
		ID       int64  `json:"id"`
		Bot      bool   `json:"is_bot"`
		First    string `json:"first_name"`
		Last     string `json:"last_name"`
		Username string `json:"username"`
	}
	chat struct {
		ID    int64  `json:"id"`
		Type  string `json:"type"` // private, group, supergroup or channel
		Title string `json:"title"`
	}
	remote struct {
		ID   string `json:"file_id"`
		Name string `json:"file_name"`
		Size int64  `json:"file_size"`
		Path string `json:"file_path"` // of getFile
	}
)

// answer is what every method answers.
type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"` // seconds
	} `json:"parameters"`
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 8 << 20

// api is the Bot API for one bot.
type api struct {
	base, token string
	http        *http.Client
}

// call calls a method with JSON.
func (a api) call(ctx context.Context, method string, in, into any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return plugin.Refused("%v", err)
	}
	return a.post(ctx, method, "application/json", bytes.NewReader(body), into)
}

// send calls a method with a file.
func (a api) send(ctx context.Context, method, field string, values map[string]string, f *plugin.OutgoingFile, into any) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range values {
		if err := form.WriteField(name, value); err != nil {
			return plugin.Refused("%v", err)
		}
	}
	part, err := form.CreateFormFile(field, f.Name)
	if err == nil {
		_, err = part.Write(f.Data)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return plugin.Refused("%v", err)
	}
	return a.post(ctx, method, form.FormDataContentType(), &body, into)
}

func (a api) post(ctx context.Context, method, kind string, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+"/bot"+a.token+"/"+method, body)
	if err != nil {
		return plugin.Refused("the address of the Bot API or the token is malformed")
	}
	req.Header.Set("Content-Type", kind)
	res, err := a.http.Do(req)
	if err != nil {
		return broken(method, err)
	}
	defer res.Body.Close()
	var out answer
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&out); err != nil {
		return fmt.Errorf("%s: the answer of Telegram cannot be read (%s)", method, res.Status)
	}
	if !out.OK {
		return out.problem(method)
	}
	return json.Unmarshal(out.Result, into)
}

// broken is an error of a connection, without the address, which contains the token.
func broken(method string, err error) error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return plugin.Away("%s: Telegram is not reached: %v", method, dial.Err)
	}
	return fmt.Errorf("%s: %w", method, err) // the outcome at Telegram is unknown
}

// problem says why Telegram did nothing.
func (a answer) problem(method string) error {
	words := fmt.Sprintf("%s: %s", method, a.Description)
	switch {
	case a.Code == http.StatusTooManyRequests:
		return plugin.Limited(time.Duration(max(a.Parameters.RetryAfter, 1))*time.Second, "%s", words)
	case a.Code == http.StatusConflict:
		return plugin.Away("%s", words)
	case a.Code >= 400 && a.Code < 500:
		return plugin.Refused("%s", words)
	}
	return errors.New(words)
}

// file reads a part of a file.
func (a api) file(ctx context.Context, id string, offset int64, limit int) (data []byte, end bool, err error) {
	var f remote
	if err := a.call(ctx, "getFile", map[string]string{"file_id": id}, &f); err != nil {
		return nil, false, err
	}
	if f.Path == "" || strings.Contains(f.Path, "..") {
		return nil, false, plugin.Refused("getFile: Telegram gives the file no more")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+"/file/bot"+a.token+"/"+f.Path, nil)
	if err != nil {
		return nil, false, plugin.Refused("the path of the file is malformed")
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+int64(limit)-1))
	res, err := a.http.Do(req)
	if err != nil {
		return nil, false, broken("file", err)
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusPartialContent:
	case http.StatusOK: // it knows no ranges
		switch _, err := io.CopyN(io.Discard, res.Body, offset); {
		case errors.Is(err, io.EOF): // it has no more
			return nil, true, nil
		case err != nil: // a connection that broke is no end of a file
			return nil, false, broken("file", err)
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return nil, true, nil
	default:
		return nil, false, plugin.Away("file: %s", res.Status)
	}
	data, err = io.ReadAll(io.LimitReader(res.Body, int64(limit)))
	return data, err == nil && len(data) < limit, err
}
