package elicit

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/question"
)

const (
	// modeURL is the mode of a question that sends the user to an address.
	modeURL = "url"
	// maxAddress limits an address, in bytes: users see all of it.
	maxAddress = 2000
	// maxRequired limits the addresses that one error of a server names.
	maxRequired = 4
	// done is the answer that continues after an address was opened.
	done = "Done · 已完成"
)

// open asks the user to open an address, which only the user opens. It declines a misleading address.
func (a *Asking) open(server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	asked, err := addressQuestion(server, p)
	if err != nil {
		return &sdk.ElicitResult{Action: "decline"}, nil //nolint:nilerr // what cannot be shown is declined
	}
	switch said := a.chosen(func(q chat.Inquiry) bool { return sameQuestions([]chat.Inquiry{q}, asked) }); {
	case said == done:
		return &sdk.ElicitResult{Action: "accept"}, nil
	case said == "" && a.ask(asked):
		return nil, errAskedFirst
	}
	return &sdk.ElicitResult{Action: "decline"}, nil
}

// Required asks the user to open the addresses that a server requires before it carries a call out, one after another. It returns a text for the
// model if there is nothing to ask any more.
func (a *Asking) Required(server string, addresses []*sdk.ElicitParams) string {
	const first = "the MCP server requires the user to do something at a web page first"
	if len(addresses) == 0 {
		return first + ", and does not say which"
	}
	for i, p := range addresses {
		if p == nil || i == maxRequired {
			break
		}
		p.Mode = modeURL
		switch got, err := a.Elicit(server, p); {
		case err != nil:
			return ""
		case got.Action != "accept":
			return first + ", and the user was not sent there: nobody can be asked here, the address cannot be shown safely, or the user declined"
		}
	}
	return first + "; the user says that it is done, and the server still refuses. Ask the user before you call the tool again"
}

func addressQuestion(server string, p *sdk.ElicitParams) ([]chat.Inquiry, error) {
	u, err := checkAddress(p.URL)
	if err != nil {
		return nil, err
	}
	text := cut("MCP · "+server+": "+p.Message, chat.MaxInquiryText/2) + "\n\n" +
		i18n.Say(i18n.English, i18n.MCPAddress, u.Hostname()) + "\n" + i18n.Say(i18n.Chinese, i18n.MCPAddress, u.Hostname()) + "\n"
	asked, err := question.Check([]chat.Inquiry{{Text: text, Options: []chat.InquiryOption{{Label: done}, {Label: no}}}})
	if err != nil {
		return nil, err
	}
	asked[0].Above, asked[0].URL = u.String(), u.String()
	return asked, nil
}

// unwritten finds characters that RFC 3986 does not allow in an address: control characters, blanks, other alphabets, and those that separate an
// address from text.
var unwritten = regexp.MustCompile("[^\\x21-\\x7e]|[\\\\\"<>`{}|^]")

// checkAddress parses an address that a user may be sent to: over TLS, or on the user's machine, to a host whose name is not misleading.
func checkAddress(raw string) (*url.URL, error) {
	if raw == "" || len(raw) > maxAddress || unwritten.MatchString(raw) {
		return nil, fault.Errorf(fault.Invalid, "the address is empty, longer than %d bytes, or has characters that an address cannot have", maxAddress)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the address cannot be read")
	}
	u.Host = strings.ToLower(u.Host)
	host := u.Hostname()
	local := host == "localhost"
	if ip, err := netip.ParseAddr(host); err == nil && ip.Zone() == "" {
		local = ip.IsLoopback()
	} else if !plainHost(host) {
		return nil, fault.Errorf(fault.Invalid, "the host of the address is not one that a person can check")
	}
	switch {
	case u.User != nil || u.Opaque != "" || strings.HasSuffix(u.Host, ":"):
		return nil, fault.Errorf(fault.Invalid, "the address must have a host, and nothing before it")
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return nil, fault.Errorf(fault.Invalid, "the address must begin with https://")
	}
	return u, nil
}

// hostLabel is a part of the name of a host.
var hostLabel = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// plainHost reports whether a host has a name of ASCII letters that encodes no other alphabet (punycode), and is no number in disguise.
func plainHost(host string) bool {
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if !hostLabel.MatchString(l) || strings.HasPrefix(l, "xn--") {
			return false
		}
	}
	last := labels[len(labels)-1]
	return strings.ContainsFunc(last, func(r rune) bool { return r < '0' || r > '9' }) && !strings.HasPrefix(last, "0x")
}
