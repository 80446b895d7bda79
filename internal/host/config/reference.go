package config

import "reflect"

// Group is settings that belong together.
type Group struct {
	Name     string
	Settings []Documented
}

// Documented is a setting as the reference shows it.
type Documented struct {
	Name      string
	Default   string
	Help      string
	Processes []string // that read it
}

// Groups lists all settings of all processes, in the order of the settings of xbot serve.
func Groups() []Group {
	processes := []struct {
		name     string
		settings reflect.Type
	}{{"serve", reflect.TypeFor[Serve]()}, {"ingress", reflect.TypeFor[Ingress]()}, {"worker", reflect.TypeFor[Worker]()}}
	var groups []Group
	at := map[string]int{}
	for _, p := range processes {
		for part := range p.settings.Fields() {
			i, seen := at[part.Name]
			if !seen {
				i = len(groups)
				at[part.Name] = i
				groups = append(groups, Group{Name: part.Name})
			}
			groups[i].read(part.Type, p.name)
		}
	}
	return groups
}

// read records that a process reads the settings of a part.
func (g *Group) read(part reflect.Type, process string) {
	for i := range part.NumField() {
		if len(g.Settings) <= i {
			tag := part.Field(i).Tag
			g.Settings = append(g.Settings, Documented{Name: tag.Get("env"), Default: tag.Get("envDefault"), Help: tag.Get("help")})
		}
		g.Settings[i].Processes = append(g.Settings[i].Processes, process)
	}
}
