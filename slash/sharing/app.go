// Package sharing has the slash command for the skills and roles that users share with each other.
package sharing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/registry/registrystore"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/users"
)

// Registry is the store of shared skills and roles.
type Registry interface {
	RegistryEntries(ctx context.Context, v registrystore.Viewer, q registry.Query) (list []registry.Entry, more bool, err error)
	RegistryEntry(ctx context.Context, v registrystore.Viewer, id int64) (registry.Entry, error)
	RegistryInstall(ctx context.Context, v registrystore.Viewer, o registrystore.Order) (registry.Install, error)
	RegistryInstallBundle(ctx context.Context, user chat.UserID, id int64) (registry.Packed, error)
	RegistryInstalls(ctx context.Context, user chat.UserID) ([]registry.Install, error)
	RegistryPublish(ctx context.Context, owner chat.UserID, b registry.Bundle, t registry.Terms) (registry.Entry, error)
	RegistryUninstall(ctx context.Context, v registrystore.Viewer, shared bool, id int64) error
}

// Roles reads the roles of users.
type Roles interface {
	RolesOf(ctx context.Context, user chat.UserID) (role.UserRoles, error)
}

// Users reads users.
type Users interface {
	UserByID(ctx context.Context, user chat.UserID) (users.User, error)
}

// Disabled reports which skills the installation has disabled, by name.
type Disabled interface {
	Off(ctx context.Context, name string) (bool, error)
}

// App is /app: skills and roles that users share.
type App struct {
	Registry Registry
	Roles    Roles
	Users    Users
	Disabled Disabled
	Base     string // address of the page
}

var _ slashcommand.Runner = App{}

// Spec describes the command. An installed copy works in all conversations of its user, so a token for conversations cannot run it.
func (App) Spec() slashcommand.Spec {
	return slashcommand.Spec{
		Name: "app", Aliases: []string{"apps"}, Usage: "[list|browse|search WORDS|install NAME|update NAME|uninstall NAME|publish NAME|export NAME]",
		Help: i18n.HelpApp, Group: slashcommand.GroupYou, Who: slashcommand.Owner, Whole: true,
	}
}

// everybody, behind a name, means all users of the installation.
const everybody = "everybody"

// Run runs the subcommand of the first word. A second run finds the changes of the first one.
func (a App) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	verb, rest := slashcommand.FirstWord(args)
	name, behind := slashcommand.FirstWord(rest)
	switch {
	case verb == "", verb == "list" && rest == "":
		return a.list(ctx, in)
	case verb == "browse", verb == "search" && rest != "":
		return a.search(ctx, in, rest)
	case name == "":
	case verb == "install" && (behind == "" || behind == everybody):
		return a.install(ctx, in, name, behind == everybody)
	case verb == "publish" && (behind == "" || behind == everybody || behind == string(registry.Private)):
		return a.publish(ctx, in, name, registry.Visibility(behind))
	}
	if t, ok := readTarget(rest); ok {
		switch verb {
		case "update":
			return a.update(ctx, in, t)
		case "uninstall":
			return a.uninstall(ctx, in, t)
		case "export":
			return a.export(ctx, in, t)
		}
	}
	return "", i18n.Fault(fault.Invalid, i18n.AppUsage)
}

func (a App) viewer(ctx context.Context, in slashcommand.Request) (registrystore.Viewer, error) {
	user, err := a.Users.UserByID(ctx, in.User)
	return registrystore.Viewer{User: in.User, Admin: user.Admin}, err
}

func kind(lang i18n.Lang, k registry.Kind) string {
	if k == registry.Role {
		return i18n.Say(lang, i18n.AppRole)
	}
	return i18n.Say(lang, i18n.AppSkill)
}

// maxLine bounds the description of one entry in a list, in characters.
const maxLine = 200

func (a App) list(ctx context.Context, in slashcommand.Request) (string, error) {
	all, err := a.Registry.RegistryInstalls(ctx, in.User)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return i18n.Say(in.Lang, i18n.AppNone), nil
	}
	lines := make([]string, len(all))
	for i, one := range all {
		if lines[i], err = a.line(ctx, in.Lang, one); err != nil {
			return "", err
		}
	}
	return strings.Join(lines, "\n"), nil
}

func (a App) line(ctx context.Context, lang i18n.Lang, one registry.Install) (string, error) {
	said := "* " + i18n.Say(lang, i18n.AppLine, one.Name, kind(lang, one.Kind), one.Number, shown(one.Description))
	if one.Shared {
		said += i18n.Say(lang, i18n.AppShared)
	}
	off := false
	if one.Kind == registry.Skill {
		var err error
		if off, err = a.Disabled.Off(ctx, one.Name); err != nil {
			return "", err
		}
	}
	switch {
	case off:
		said += i18n.Say(lang, i18n.AppDisabled)
	case !one.Enabled:
		said += i18n.Say(lang, i18n.AppOff)
	}
	if one.Newest > one.Number {
		said += i18n.Say(lang, i18n.AppNewer, one.Newest, one.Name)
	}
	return said, nil
}

// shown returns text of another user as plain text in one line.
func shown(text string) string { return markdown.Line(chat.FirstWords(text, maxLine)) }

func (a App) search(ctx context.Context, in slashcommand.Request, words string) (string, error) {
	who, err := a.viewer(ctx, in)
	if err != nil {
		return "", err
	}
	found, more, err := a.Registry.RegistryEntries(ctx, who, registry.Query{Words: words})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return i18n.Say(in.Lang, i18n.AppNothing), nil
	}
	said := listed(in.Lang, found)
	if more {
		said += "\n\n" + i18n.Say(in.Lang, i18n.AppMore)
	}
	return said, nil
}

func listed(lang i18n.Lang, found []registry.Entry) string {
	lines := make([]string, len(found))
	for i, e := range found {
		lines[i] = "* " + i18n.Say(lang, i18n.AppFound, e.ID, e.Name, kind(lang, e.Kind), e.Version.Number, markdown.Escaped(e.Owner), shown(e.Description))
	}
	return strings.Join(lines, "\n")
}

// find returns the entry with a name or a number; if several have the name, said lists them.
func (a App) find(ctx context.Context, in slashcommand.Request, who registrystore.Viewer, name string) (e registry.Entry, said string, err error) {
	if id, err := strconv.ParseInt(strings.TrimPrefix(name, "#"), 10, 64); err == nil && strings.HasPrefix(name, "#") {
		e, err := a.Registry.RegistryEntry(ctx, who, id)
		return e, "", err
	}
	found, _, err := a.Registry.RegistryEntries(ctx, who, registry.Query{Key: registry.Key(name)})
	if offered := slices.DeleteFunc(slices.Clone(found), func(e registry.Entry) bool { return !e.Offered() }); len(offered) > 0 {
		found = offered // administrators see others, too
	}
	switch {
	case err != nil:
		return e, "", err
	case len(found) == 0:
		return e, "", i18n.Fault(fault.NotFound, i18n.AppUnknown, markdown.Code(name))
	case len(found) > 1:
		return e, i18n.Say(in.Lang, i18n.AppSeveral, markdown.Code(name)) + "\n\n" + listed(in.Lang, found), nil
	}
	return found[0], "", nil
}

func (a App) install(ctx context.Context, in slashcommand.Request, name string, shared bool) (string, error) {
	who, err := a.viewer(ctx, in)
	switch {
	case err != nil:
		return "", err
	case shared && !who.Admin:
		return "", i18n.Fault(fault.Denied, i18n.CommandAdmins, "app install NAME everybody")
	}
	e, several, err := a.find(ctx, in, who, name)
	if err != nil || several != "" {
		return several, err
	}
	done, err := a.Registry.RegistryInstall(ctx, who, registrystore.Order{Entry: e.ID, Shared: shared})
	if err != nil {
		return "", err
	}
	return a.sayInstalled(in.Lang, done), nil
}

func (a App) sayInstalled(lang i18n.Lang, done registry.Install) string {
	id := i18n.AppInstalled
	if done.Shared {
		id = i18n.AppForAll
	}
	said := i18n.Say(lang, id, done.Name, done.Number, markdown.Escaped(done.Owner))
	if done.Kind == registry.Skill {
		said += " " + i18n.Say(lang, i18n.AppAsSkill, done.Name)
	}
	return said
}

// target is the copy that a command names: the user's or the shared one, by its name, and its kind where both kinds have it.
type target struct {
	kind   registry.Kind // empty: either
	name   string
	shared bool
}

// readTarget reads NAME, skill NAME or role NAME, with everybody behind it or not.
func readTarget(args string) (t target, ok bool) {
	words := strings.Fields(args)
	if n := len(words); n > 1 && words[n-1] == everybody {
		t.shared, words = true, words[:n-1]
	}
	if len(words) == 2 && (words[0] == string(registry.Skill) || words[0] == string(registry.Role)) {
		t.kind, words = registry.Kind(words[0]), words[1:]
	}
	if len(words) != 1 {
		return t, false
	}
	t.name = words[0]
	return t, true
}

// mine returns the copy that a target names: the user's, or the shared one. It returns NotFound if there is none, and Conflict if a skill and a role have the name.
func (a App) mine(ctx context.Context, in slashcommand.Request, t target) (found registry.Install, err error) {
	all, err := a.Registry.RegistryInstalls(ctx, in.User)
	if err != nil {
		return found, err
	}
	for _, one := range all {
		if registry.Key(one.Name) != registry.Key(t.name) || one.Shared != t.shared || t.kind != "" && one.Kind != t.kind {
			continue
		}
		if found.ID != 0 {
			return found, i18n.Fault(fault.Conflict, i18n.AppBoth, markdown.Code(t.name))
		}
		found = one
	}
	if found.ID == 0 {
		return found, i18n.Fault(fault.NotFound, i18n.AppNotInstalled, markdown.Code(t.name))
	}
	return found, nil
}

// works returns the copy in effect for the user: the user's, else the shared one.
func (a App) works(ctx context.Context, in slashcommand.Request, t target) (registry.Install, error) {
	one, err := a.mine(ctx, in, t)
	if fault.Is(err, fault.NotFound) && !t.shared {
		t.shared = true
		return a.mine(ctx, in, t)
	}
	return one, err
}

// changer returns the viewer that changes a target. It returns Denied if the target is shared, and the user is no administrator.
func (a App) changer(ctx context.Context, in slashcommand.Request, t target, usage string) (registrystore.Viewer, error) {
	who, err := a.viewer(ctx, in)
	if err == nil && t.shared && !who.Admin {
		err = i18n.Fault(fault.Denied, i18n.CommandAdmins, "app "+usage+" NAME everybody")
	}
	return who, err
}

func (a App) update(ctx context.Context, in slashcommand.Request, t target) (string, error) {
	who, err := a.changer(ctx, in, t, "update")
	if err != nil {
		return "", err
	}
	one, err := a.mine(ctx, in, t)
	switch {
	case err != nil:
		return "", err
	case one.Newest <= one.Number:
		return i18n.Say(in.Lang, i18n.AppNewest, one.Name, one.Number), nil
	}
	done, err := a.Registry.RegistryInstall(ctx, who, registrystore.Order{Entry: one.Entry, Shared: one.Shared})
	if err != nil {
		return "", err
	}
	return a.sayInstalled(in.Lang, done), nil
}

// uninstall removes the copy that a target names and no other. A missing copy is answered as done: a command may run twice.
func (a App) uninstall(ctx context.Context, in slashcommand.Request, t target) (string, error) {
	who, err := a.changer(ctx, in, t, "uninstall")
	if err != nil {
		return "", err
	}
	one, err := a.mine(ctx, in, t)
	if err == nil {
		err = a.Registry.RegistryUninstall(pg.Acting(ctx, in.User), who, one.Shared, one.ID)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return "", err
	}
	id := i18n.AppUninstalled
	if t.shared {
		id = i18n.AppGoneForAll
	}
	return i18n.Say(in.Lang, id, markdown.Code(t.name)), nil
}

// publish makes a version of a role that the user has written, or of a copy that they have installed.
func (a App) publish(ctx context.Context, in slashcommand.Request, name string, seen registry.Visibility) (string, error) {
	b, err := a.bundle(ctx, in, name)
	if err != nil {
		return "", err
	}
	e, err := a.Registry.RegistryPublish(ctx, in.User, b, registry.Terms{Visibility: seen})
	if err != nil {
		return "", err
	}
	who := i18n.AppPrivate
	if e.Visibility == registry.Everybody {
		who = i18n.AppEverybody
	}
	return i18n.Say(in.Lang, i18n.AppPublished, e.Name, e.Version.Number, i18n.Say(in.Lang, who)), nil
}

func (a App) bundle(ctx context.Context, in slashcommand.Request, name string) (registry.Bundle, error) {
	kept, err := a.Roles.RolesOf(ctx, in.User)
	if err != nil {
		return registry.Bundle{}, err
	}
	for _, own := range kept.Roles {
		if role.Key(own.Name) == role.Key(name) {
			return registry.RoleBundle(own.Role())
		}
	}
	one, err := a.works(ctx, in, target{name: name})
	if fault.Is(err, fault.NotFound) {
		return registry.Bundle{}, i18n.Fault(fault.NotFound, i18n.AppNoRole, markdown.Code(name))
	}
	if err != nil {
		return registry.Bundle{}, err
	}
	packed, err := a.Registry.RegistryInstallBundle(ctx, in.User, one.ID)
	if err != nil {
		return registry.Bundle{}, err
	}
	return registry.Read(packed.Zip, packed.Name)
}

// export returns the address of the archive. It needs a login.
func (a App) export(ctx context.Context, in slashcommand.Request, t target) (string, error) {
	one, err := a.works(ctx, in, t)
	if err != nil {
		return "", err
	}
	at := fmt.Sprintf("%s/api/registry/installs/%d/bundle", strings.TrimRight(a.Base, "/"), one.ID)
	return i18n.Say(in.Lang, i18n.AppExport, one.Name, at), nil
}
