package apitest

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// question is a call that waits for permission.
type question struct {
	approval chat.Approval
	answered chan struct{} // closed with the answer
}

// Ask asks a user whether the n-th call of the last step may run, and returns the answer; void after a stop.
func (t *Turn) Ask(n int, reason string) chat.Approval {
	return t.ask(n, chat.Approval{Reason: reason, Always: []chat.ToolRule{{Tool: t.calls[n].Name, Pattern: "make", Rule: chat.RuleAllow}}})
}

// Inquire asks a user the questions of the n-th call of the last step, and returns the answers; void after a stop.
func (t *Turn) Inquire(n int, questions ...chat.Inquiry) chat.Approval {
	return t.ask(n, chat.Approval{Questions: questions})
}

// Propose asks a user whether a plan is to be done, and returns the answer, with the plan as they have edited it; void after a stop.
func (t *Turn) Propose(n int, plan chat.Plan) chat.Approval {
	return t.ask(n, chat.Approval{Plan: &plan})
}

func (t *Turn) ask(n int, approval chat.Approval) chat.Approval {
	approval.State, approval.AskedAt = chat.ApprovalOpen, time.Now()
	t.session.mu.Lock()
	call := &t.calls[n]
	q := &question{approval: approval, answered: make(chan struct{})}
	t.session.questions[call.ID] = q
	call.Approval = new(q.approval)
	t.tool(*call)
	t.session.mu.Unlock()

	t.Wait(q.answered)
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	if q.approval.State == chat.ApprovalOpen {
		q.approval.State = chat.ApprovalVoid
	}
	call.Approval = new(q.approval)
	t.tool(*call)
	return q.approval
}

func (s *Server) answerApproval(w http.ResponseWriter, r *http.Request, session *session) {
	var in struct {
		Decision, Note string
		Always         bool
		Answers        chat.Answers
		Arguments      *chat.Plan
	}
	if !read(w, r, &in) {
		return
	}
	session.mu.Lock()
	defer session.mu.Unlock()
	call := chat.CallID(r.PathValue("call"))
	q := session.questions[call]
	switch {
	case q == nil:
		problem(w, http.StatusNotFound, "There is no such question.")
		return
	case q.approval.State != chat.ApprovalOpen:
		problem(w, http.StatusConflict, "This was answered before; the first answer stands.")
		return
	}
	q.approval.State, q.approval.Answers = chat.ApprovalDenied, in.Answers
	if in.Arguments != nil && q.approval.Plan != nil {
		q.approval.Plan = in.Arguments
	}
	if in.Decision == "allow" {
		q.approval.State = chat.ApprovalAllowed
	}
	if in.Always {
		s.always.Store(true)
	}
	q.approval.Note, q.approval.AnsweredBy, q.approval.AnsweredAt = in.Note, "alice", new(time.Now())
	close(q.answered)
	answer(w, http.StatusOK, chat.ToolCall{ID: call, Approval: new(q.approval)})
}

// Always reports whether a client allowed a tool permanently.
func (s *Server) Always() bool { return s.always.Load() }

// Background ends the n-th call of the last step as a background task that runs.
func (t *Turn) Background(n int, command string) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	call := &t.calls[n]
	task := chat.Task{
		ID: fmt.Sprintf("bg%d", len(t.session.tasks)+1), Call: call.ID, Command: command, Runner: "local", State: chat.TaskRunning, StartedAt: time.Now(),
	}
	t.session.tasks = slices.Insert(t.session.tasks, 0, task)
	t.session.durable(chat.EventTask, task)
	call.State, call.FinishedAt, call.Task, call.Result = chat.CallDone, new(time.Now()), task.ID, "It goes on as "+task.ID+"."
	t.tool(*call)
}

func (s *Server) listTasks(w http.ResponseWriter, r *http.Request, session *session) {
	session.mu.Lock()
	defer session.mu.Unlock()
	tasks := session.tasks
	if works := s.works.Load(); works != nil && r.URL.Query().Get("all") == "true" {
		tasks = slices.Concat(tasks, *works)
	}
	answer(w, http.StatusOK, map[string]any{"tasks": tasks})
}

func (s *Server) killTask(w http.ResponseWriter, r *http.Request, session *session) {
	session.mu.Lock()
	defer session.mu.Unlock()
	i := slices.IndexFunc(session.tasks, func(task chat.Task) bool { return task.ID == r.PathValue("id") })
	if i < 0 {
		problem(w, http.StatusNotFound, "There is no such background task.")
		return
	}
	task := &session.tasks[i]
	answer(w, http.StatusAccepted, task)
	if task.State == chat.TaskRunning {
		task.State, task.EndedAt = chat.TaskKilled, new(time.Now())
		session.durable(chat.EventTask, *task)
	}
}

// command commits a message that is a command with its answer, which may be kept back; the lock is held.
func (s *session) command(id chat.InboxID, client, text, said string) {
	s.message(chat.Message{Role: chat.RoleUser, Origin: chat.OriginCommand, Content: text, Inbox: id, ClientMessageID: client})
	answer := chat.Message{Role: chat.RoleNotice, Origin: chat.OriginCommand, Content: said, Inbox: id}
	if late := s.server.late.Load(); late != nil && *late == text {
		s.late = append(s.late, answer)
		return
	}
	for _, answer := range append(s.late, answer) {
		s.message(answer)
	}
	s.late = nil
}

// File returns the content of a file that was uploaded.
func (s *Server) File(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.files[name])
}

// Put makes a file that can be downloaded.
func (s *Server) Put(name, content string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[name] = []byte(content)
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request, _ *session) {
	file, header, err := r.FormFile("file")
	if err != nil {
		problem(w, http.StatusBadRequest, "There is no file: "+err.Error())
		return
	}
	content, err := io.ReadAll(file)
	if err != nil {
		problem(w, http.StatusBadRequest, "The file broke off: "+err.Error())
		return
	}
	name := path.Join("uploads", path.Base(header.Filename))
	s.Put(name, string(content))
	answer(w, http.StatusCreated, map[string]any{"files": []apiclient.UploadedFile{{Name: path.Base(name), Path: name, Size: int64(len(content))}}})
}

func (s *Server) download(w http.ResponseWriter, r *http.Request, _ *session) {
	s.mu.Lock()
	content, known := s.files[r.URL.Query().Get("path")]
	s.mu.Unlock()
	if !known {
		problem(w, http.StatusNotFound, "There is no such file.")
		return
	}
	// A client that has gone away has no use for the rest.
	_, _ = w.Write(content)
}
