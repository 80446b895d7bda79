package plugin

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"xbot/internal/fault"
)

// maxSetting limits the value of a setting, in bytes.
const maxSetting = 8 << 10

func (m *Manifest) checkSettings() error {
	if len(m.Contributes.Settings) > maxSettings {
		return invalid("contributes.settings", "there are more than %d", maxSettings)
	}
	for i, s := range m.Contributes.Settings {
		at := "contributes.settings, " + cut(s.Name)
		switch {
		case !nameForm.MatchString(s.Name) || slices.ContainsFunc(m.Contributes.Settings[:i], func(o Setting) bool { return o.Name == s.Name }):
			return invalid("contributes.settings", "the name %q has to be another one of 1 to 32 small letters, digits and underscores, a letter first", cut(s.Name))
		case !slices.Contains([]SettingType{String, Number, Boolean, Choice, Secret}, s.Type):
			return invalid(at, "its type has to be string, number, boolean, choice or secret")
		case !isLine(s.Title.English) || !isLine(s.Title.Chinese):
			return invalid(at, "its title has to be a line of at most %d characters", maxLine)
		case (s.Type == Choice) != (len(s.Choices) > 0) || len(s.Choices) > maxChoices || slices.ContainsFunc(s.Choices, func(c string) bool { return c == "" || !isLine(c) }):
			return invalid(at, "1 to %d choices belong to the type choice, and to no other", maxChoices)
		case s.Default != nil && s.Type == Secret:
			return invalid(at, "a secret has no default")
		case s.Default != nil:
			if err := s.Check(s.Default); err != nil {
				return invalid(at, "its default is none of its values")
			}
		}
	}
	return nil
}

// Check validates a value, as JSON decodes it.
func (s Setting) Check(value any) error {
	text, isText := value.(string)
	switch s.Type {
	case String, Secret:
		if !isText || len(text) > maxSetting || strings.ContainsRune(text, 0) {
			return fault.Errorf(fault.Invalid, "the setting %s is a text of at most %d bytes", s.Name, maxSetting)
		}
	case Number:
		if n, ok := value.(float64); !ok || math.IsNaN(n) || math.IsInf(n, 0) {
			return fault.Errorf(fault.Invalid, "the setting %s is a number", s.Name)
		}
	case Boolean:
		if _, ok := value.(bool); !ok {
			return fault.Errorf(fault.Invalid, "the setting %s is true or false", s.Name)
		}
	case Choice:
		if !isText || !slices.Contains(s.Choices, text) {
			return fault.Errorf(fault.Invalid, "the setting %s is one of %s", s.Name, strings.Join(s.Choices, ", "))
		}
	}
	return nil
}

// Values are settings of a plugin, by their names.
type Values map[string]any

// secretsMember lists the stored values that were given as secrets. No setting can have its name.
const secretsMember = "*secrets"

// StoreValues encodes values for ReadValues, also with another version of the manifest. It returns Invalid if a value is no JSON.
func (m Manifest) StoreValues(values Values) ([]byte, error) {
	all, secrets := maps.Clone(values), []string{}
	if all == nil {
		all = Values{}
	}
	for _, s := range m.Contributes.Settings {
		if _, ok := values[s.Name]; ok && s.Type == Secret {
			secrets = append(secrets, s.Name)
		}
	}
	all[secretsMember] = secrets
	out, err := json.Marshal(all)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "a setting of the plugin %s is no JSON", m.ID)
	}
	return out, nil
}

// ReadValues decodes stored Values. Settings that the manifest does not have any more are left out, and so is a secret that has become
// a readable setting: it was not entered for that.
func (m Manifest) ReadValues(stored []byte) (Values, error) {
	all := Values{}
	if len(stored) > 0 {
		if err := json.Unmarshal(stored, &all); err != nil {
			return nil, fault.Errorf(fault.Internal, "the settings of plugin %s cannot be read", m.ID)
		}
	}
	secrets, _ := all[secretsMember].([]any) // none in values that were stored before this list existed
	out := Values{}
	for _, s := range m.Contributes.Settings {
		v, ok := all[s.Name]
		if shown := s.Type != Secret && slices.Contains(secrets, any(s.Name)); ok && !shown && s.Check(v) == nil {
			out[s.Name] = v
		}
	}
	return out, nil
}

// Change returns the values with changes: null removes one. It returns Invalid if there is no such setting, or it cannot have the value.
func (m Manifest) Change(values, changes Values) (Values, error) {
	out := Values{}
	maps.Copy(out, values)
	for name, v := range changes {
		i := slices.IndexFunc(m.Contributes.Settings, func(s Setting) bool { return s.Name == name })
		if i < 0 {
			return nil, fault.Errorf(fault.Invalid, "the plugin %s has no setting %s", m.ID, cut(name))
		}
		if v == nil {
			delete(out, name)
			continue
		}
		if err := m.Contributes.Settings[i].Check(v); err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}

// EffectiveValues returns the values for the plugin: those that were given, and the defaults of others.
func (m Manifest) EffectiveValues(values Values) Values {
	out := Values{}
	for _, s := range m.Contributes.Settings {
		if v, ok := values[s.Name]; ok {
			out[s.Name] = v
		} else if s.Default != nil {
			out[s.Name] = s.Default
		}
	}
	return out
}

// Missing lists the settings that have to be given before the plugin can work.
func (m Manifest) Missing(values Values) []string {
	var out []string
	for _, s := range m.Contributes.Settings {
		if s.Required && m.EffectiveValues(values)[s.Name] == nil {
			out = append(out, s.Name)
		}
	}
	return out
}
