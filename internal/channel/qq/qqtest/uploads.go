package qqtest

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// block is the size of the parts of an upload, small so that tests have several.
const block = 64 << 10

type upload struct {
	place           string
	kind            int
	name, md5, sha1 string
	parts           [][]byte
	finished        []bool
}

func (s *Server) prepareUpload(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Kind int    `json:"file_type"`
		Size string `json:"file_size"`
		Name string `json:"file_name"`
		MD5  string `json:"md5"`
		SHA1 string `json:"sha1"`
		Head string `json:"md5_10m"`
	}
	err := json.NewDecoder(r.Body).Decode(&ask)
	size, sizeErr := strconv.Atoi(ask.Size)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || sizeErr != nil || size <= 0 || ask.Name == "" || ask.MD5 == "" || ask.SHA1 == "" || ask.Head == "" {
		s.breaks("an upload without size, name or sums")
		refuse(w, http.StatusBadRequest, 10000, "不支持的操作")
		return
	}
	if s.trouble().meets(w) {
		return
	}
	if size > 200<<20 {
		refuse(w, http.StatusBadRequest, 850031, "上传文件超过大小限制")
		return
	}
	id := "upload_" + random()
	n := (size + block - 1) / block
	s.uploads[id] = &upload{
		place: r.PathValue("kind") + r.PathValue("chat"), kind: ask.Kind, name: ask.Name, md5: ask.MD5, sha1: ask.SHA1,
		parts: make([][]byte, n), finished: make([]bool, n),
	}
	var parts []map[string]any
	for i := range n {
		parts = append(parts, map[string]any{
			"index": i, "presigned_url": fmt.Sprintf("%s/store/%s/%d", s.url, id, i), "block_size": strconv.Itoa(min(block, size-i*block)),
		})
	}
	answer(w, http.StatusOK, map[string]any{"upload_id": id, "block_size": strconv.Itoa(block), "parts": parts})
}

func (s *Server) storePart(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	part, partErr := strconv.Atoi(r.PathValue("part"))
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.uploads[r.PathValue("upload")]
	if err != nil || partErr != nil || !ok || part < 0 || part >= len(u.parts) {
		http.Error(w, "no such part", http.StatusForbidden)
		return
	}
	if r.Header.Get("Authorization") != "" {
		s.breaks("the token was shown to the store of uploads")
	}
	u.parts[part] = raw
}

func (s *Server) finishPart(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		ID    string `json:"upload_id"`
		Part  int    `json:"part_index"`
		Block string `json:"block_size"`
		MD5   string `json:"md5"`
	}
	err := json.NewDecoder(r.Body).Decode(&ask)
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.uploads[ask.ID]
	if err != nil || !ok || ask.Part < 0 || ask.Part >= len(u.parts) || md5Of(u.parts[ask.Part]) != ask.MD5 || strconv.Itoa(len(u.parts[ask.Part])) != ask.Block {
		s.breaks("a part was finished that is not what was stored")
		refuse(w, http.StatusBadRequest, 40093001, "文件上传失败，请重试")
		return
	}
	u.finished[ask.Part] = true
	answer(w, http.StatusOK, map[string]any{})
}

func (s *Server) mergeUpload(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Kind int    `json:"file_type"`
		ID   string `json:"upload_id"`
		Send bool   `json:"srv_send_msg"`
	}
	err := json.NewDecoder(r.Body).Decode(&ask)
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.uploads[ask.ID]
	place := r.PathValue("kind") + r.PathValue("chat")
	if err != nil || !ok || u.place != place || ask.Send {
		s.breaks("an upload was finished that was not begun here")
		refuse(w, http.StatusBadRequest, 10000, "不支持的操作")
		return
	}
	var whole []byte
	for i, p := range u.parts {
		if !u.finished[i] {
			s.breaks("an upload was finished before its parts")
			refuse(w, http.StatusBadRequest, 40093001, "文件上传失败，请重试")
			return
		}
		whole = append(whole, p...)
	}
	sum := sha1.Sum(whole)
	if md5Of(whole) != u.md5 || hex.EncodeToString(sum[:]) != u.sha1 {
		s.breaks("an upload whose sums are wrong")
		refuse(w, http.StatusBadRequest, 40093001, "文件上传失败，请重试")
		return
	}
	info := random()
	kinds := map[int]string{1: "image", 2: "video", 3: "audio", 4: "file"}
	s.infos[place+info] = File{Kind: kinds[ask.Kind], Name: u.name, Data: whole}
	answer(w, http.StatusOK, map[string]any{"file_uuid": random(), "file_info": info, "ttl": 300})
}

func md5Of(raw []byte) string {
	sum := md5.Sum(raw)
	return hex.EncodeToString(sum[:])
}
