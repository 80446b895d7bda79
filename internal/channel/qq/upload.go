package qq

import (
	"bytes"
	"context"
	"crypto/md5"  //nolint:gosec // the platform's checksums, no secrets
	"crypto/sha1" //nolint:gosec // the same
	"encoding/hex"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Kinds of files, QQ's file_type.
const (
	fileImage = 1
	fileVideo = 2
	fileVoice = 3
	fileOther = 4
)

const (
	// sampled is how many bytes from the beginning md5_10m is of.
	sampled = 10002432
	// partTimeout bounds the upload of one part, 5 MB by default.
	partTimeout = 5 * time.Minute
	defaultPart = 5 << 20
)

// kindOf returns the kind a file is shown as. Voice that QQ cannot play, and all other types, are files to download.
func kindOf(f channel.File) int {
	media, _, _ := strings.Cut(f.Type, ";")
	switch strings.TrimSpace(strings.ToLower(media)) {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp":
		return fileImage
	case "video/mp4":
		return fileVideo
	case "audio/silk", "audio/mpeg", "audio/mp3", "audio/wav", "audio/x-wav", "audio/ogg":
		return fileVoice
	}
	return fileOther
}

func (a *Account) sendFile(ctx context.Context, s spot, m channel.Message) (channel.Sent, error) {
	limit := int64(maxFile)
	if s.inGuild() {
		limit = maxGuildFile
	}
	switch size := int64(len(m.File.Data)); {
	case size == 0:
		return channel.Sent{}, fault.Errorf(fault.Invalid, "%s is empty, and QQ takes no empty files", m.File.Name)
	case size > limit:
		return channel.Sent{}, fault.Errorf(fault.TooLarge, "%s has %d MiB; QQ takes at most %d here", m.File.Name, size>>20, limit>>20)
	case s.inGuild():
		return a.sendGuildImage(ctx, s, m)
	}
	info, err := a.upload(ctx, s, *m.File)
	if err != nil {
		return channel.Sent{}, err
	}
	body := map[string]any{"msg_type": kindMedia, "media": map[string]string{"file_info": info}}
	if s.replyTo != "" {
		body["msg_id"], body["msg_seq"] = s.replyTo, draft{markdown: true}.seq(m)
	}
	sent, err := a.post(ctx, s, body)
	return sent, explained(err)
}

// upload stores a file with the platform for one message. No user sees it, so a failure has no open outcome.
func (a *Account) upload(ctx context.Context, s spot, f channel.File) (string, error) {
	kind := kindOf(f)
	info, err := a.uploadAs(ctx, s, f, kind)
	if r, ok := errors.AsType[*refusal](err); ok && r.class() == wrongFormat && kind != fileOther {
		info, err = a.uploadAs(ctx, s, f, fileOther)
	}
	if err == nil {
		return info, nil
	}
	return "", fmt.Errorf("upload %s: %w", f.Name, channel.Certain(explained(err)))
}

// plan is how the platform wants a file to be split.
type plan struct {
	ID    string `json:"upload_id"`
	Block loose  `json:"block_size"`
	Parts []struct {
		Index int    `json:"index"`
		URL   string `json:"presigned_url"`
		Block loose  `json:"block_size"`
	} `json:"parts"`
}

func (a *Account) uploadAs(ctx context.Context, s spot, f channel.File, kind int) (string, error) {
	whole, first := md5.Sum(f.Data), md5.Sum(f.Data[:min(len(f.Data), sampled)]) //nolint:gosec // the platform's checksums
	second := sha1.Sum(f.Data)                                                   //nolint:gosec // the same
	name := fileName(f, kind)
	var p plan
	err := a.call(ctx, http.MethodPost, s.root()+"/upload_prepare", map[string]any{
		"file_type": kind, "file_size": strconv.Itoa(len(f.Data)), "file_name": name,
		"md5": hex.EncodeToString(whole[:]), "sha1": hex.EncodeToString(second[:]), "md5_10m": hex.EncodeToString(first[:]),
	}, &p)
	if err != nil {
		return "", err
	}
	if err := a.uploadParts(ctx, s, p, f.Data); err != nil {
		return "", err
	}
	var got struct {
		Info string `json:"file_info"`
	}
	err = a.call(ctx, http.MethodPost, s.root()+"/files", map[string]any{
		"file_type": kind, "srv_send_msg": false, "file_name": name, "upload_id": p.ID,
	}, &got)
	if err == nil && got.Info == "" {
		err = fault.Errorf(fault.Unavailable, "QQ took the file and did not say how to send it")
	}
	return got.Info, err
}

// uploadParts puts the parts to the addresses of the plan, each confirmed before the next.
func (a *Account) uploadParts(ctx context.Context, s spot, p plan, data []byte) error {
	for _, part := range p.Parts {
		size := part.Block.int()
		if size <= 0 {
			size = p.Block.int()
		}
		if size <= 0 {
			size = defaultPart
		}
		n := min(int(min(size, maxFile)), len(data))
		if err := a.put(ctx, part.URL, data[:n]); err != nil {
			return err
		}
		sum := md5.Sum(data[:n]) //nolint:gosec // the platform's checksum
		err := a.call(ctx, http.MethodPost, s.root()+"/upload_part_finish", map[string]any{
			"upload_id": p.ID, "part_index": part.Index, "block_size": strconv.Itoa(n), "md5": hex.EncodeToString(sum[:]),
		}, nil)
		if err != nil {
			return err
		}
		data = data[n:]
	}
	if len(data) > 0 {
		return fault.Errorf(fault.Unavailable, "QQ planned an upload that is %d bytes short", len(data))
	}
	return nil
}

// put uploads to a signed address: the bot's token is not sent there.
func (a *Account) put(ctx context.Context, address string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, address, bytes.NewReader(data))
	if err != nil {
		return fault.Errorf(fault.Unavailable, "QQ named no address for an upload: %w", err)
	}
	res, err := a.http.Do(req)
	if err != nil {
		return fault.Errorf(fault.Unavailable, "put a part: %w", err)
	}
	_ = res.Body.Close() // only the status matters
	if res.StatusCode >= 300 {
		return fault.Errorf(fault.Unavailable, "the store of QQ refused a part (HTTP %d)", res.StatusCode)
	}
	return nil
}

// fileName returns the displayed name; the ending decides how clients open the file.
func fileName(f channel.File, kind int) string {
	name := baseName(f.Name)
	if name == "" {
		name = "file"
	}
	if path.Ext(name) == "" {
		name += map[int]string{fileImage: ".png", fileVideo: ".mp4"}[kind]
	}
	return name
}

// sendGuildImage sends an image in a guild, which takes no other files.
func (a *Account) sendGuildImage(ctx context.Context, s spot, m channel.Message) (channel.Sent, error) {
	if kindOf(*m.File) != fileImage {
		return channel.Sent{}, fault.Errorf(fault.Denied, "guilds of QQ take no files but images; send %s as a link or as text", m.File.Name)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if s.replyTo != "" {
		if err := w.WriteField("msg_id", s.replyTo); err != nil {
			return channel.Sent{}, err
		}
	}
	part, err := w.CreateFormFile("file_image", fileName(*m.File, fileImage))
	if err != nil {
		return channel.Sent{}, err
	}
	if _, err := part.Write(m.File.Data); err != nil {
		return channel.Sent{}, err
	}
	if err := w.Close(); err != nil {
		return channel.Sent{}, err
	}
	var got postResponse
	err = a.request(ctx, http.MethodPost, s.messages(), w.FormDataContentType(), form.Bytes(), &got)
	sent, err := got.sent(s, err)
	return sent, explained(err)
}
