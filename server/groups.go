package server

import (
	"xbot/internal/tool"
	"xbot/internal/tool/agent"
)

// createChat is the tool with which models have agents talk with each other.
func (p *parts) createChat() tool.Tool { return agent.NewCreateChat(p.store, staff{p}, p.store) }

// sendMessage is the tool with which models write to agents, group chats and other conversations.
func (p *parts) sendMessage() tool.Tool { return agent.NewSendMessage(p.store, staff{p}, p.store) }
