package feishutest

import (
	"cmp"
	"slices"
	"strings"
)

// attributes are the attributes that elements of a card may have besides the common ones: the vendor's pages "card JSON 2.0 components" of
// open.feishu.cn; others are refused ("card JSON 2.0 release notes", validation of attributes).
var attributes = map[string]string{
	"markdown":        "content text_size text_align icon",
	"hr":              "",
	"chart":           "aspect_ratio color_theme chart_spec preview height",
	"person":          "size user_id show_avatar show_name style",
	"person_list":     "drop_invalid_user_id lines show_name show_avatar size persons icon ud_icon",
	"img":             "img_key alt title corner_radius scale_type size transparent preview mode custom_width compact_width",
	"img_combination": "combination_mode combination_transparent corner_radius img_list",
	"column_set":      "horizontal_spacing horizontal_align flex_mode background_style action columns",
	"column":          "background_style width weight horizontal_spacing horizontal_align vertical_align vertical_spacing direction padding action elements",
	"form":            "direction horizontal_spacing vertical_spacing horizontal_align vertical_align padding name elements",
	"collapsible_panel": "direction vertical_spacing horizontal_spacing vertical_align horizontal_align padding expanded background_color header border" +
		" elements",
	"interactive_container": "width height direction horizontal_spacing horizontal_align vertical_align vertical_spacing background_style has_border" +
		" border_color corner_radius padding behaviors disabled disabled_tips confirm hover_tips elements",
	"input": "name required disabled placeholder default_value width max_length input_type show_icon rows auto_resize max_rows label label_position" +
		" behaviors confirm value",
	"select_static":       "type name required disabled initial_option initial_index placeholder width behaviors options confirm",
	"multi_select_static": "type name required disabled selected_values placeholder width behaviors options confirm",
	"select_person":       "type name required disabled initial_option placeholder width behaviors options confirm",
	"multi_select_person": "type name required disabled selected_values placeholder width behaviors options confirm",
	"select_img":          "multi_select layout name required can_preview aspect_ratio disabled disabled_tips value options behaviors confirm",
	"date_picker":         "name required disabled width behaviors initial_date placeholder value confirm",
	"picker_time":         "name required disabled width behaviors initial_time placeholder value confirm",
	"picker_datetime":     "name required disabled width behaviors initial_datetime placeholder value confirm",
	"checker": "name checked text overall_checkable button_area checked_style padding confirm behaviors hover_tips disabled" +
		" disabled_tips",
	"overflow": "width options behaviors confirm value",
	"button":   "type size width text icon hover_tips disabled disabled_tips confirm behaviors name form_action_type value",
}

// everywhere are attributes of every element.
var everywhere = []string{"tag", "element_id", "margin"}

// fields are elements that are filled in: in a form they have a name.
var fields = []string{
	"select_static", "multi_select_static", "select_person", "multi_select_person", "select_img", "input", "date_picker", "picker_time", "picker_datetime",
	"checker",
}

// undescribed returns the attribute of an element that the platform would not take.
func undescribed(m map[string]any, inForm bool) string {
	tag, _ := m["tag"].(string)
	described, known := attributes[tag]
	if !known {
		return "there is no element " + tag
	}
	for name := range m {
		if !slices.Contains(strings.Fields(described), name) && !slices.Contains(everywhere, name) {
			return "a " + tag + " has no " + name
		}
	}
	if tag == "button" && !inForm && (m["name"] != nil || m["form_action_type"] != nil) { // they come with a form alone ("button")
		return "a button outside of a form has a name"
	}
	return ""
}

// malformed returns the fault of an element, apart from its place.
func malformed(m map[string]any, inForm bool) string {
	tag, _ := m["tag"].(string)
	header, _ := m["header"].(map[string]any)
	switch {
	case tag == "":
		return ""
	case slices.Contains(fields, tag) && (!inForm || m["name"] == nil):
		return tag + " is not in a form, or has no name"
	case tag == "collapsible_panel" && label(header["title"]) == "":
		return "a panel has no title"
	case tag == "interactive_container" && m["behaviors"] == nil:
		return "an interactive container does nothing"
	}
	return cmp.Or(undescribed(m, inForm), nested(m, inForm))
}

// nested returns the fault in the nesting of an element ("nesting rules" of the containers).
func nested(m map[string]any, inForm bool) string {
	inside, _ := m["elements"].([]any)
	for _, one := range inside {
		child, _ := one.(map[string]any)
		switch tag, _ := child["tag"].(string); {
		case tag == "form":
			return "a form stands in another element"
		case (tag == "chart" || tag == "table") && (inForm || m["tag"] == "form"):
			return "a " + tag + " stands in a form"
		}
	}
	return ""
}

// maxTags is how many elements and texts a card may have ("card JSON 2.0 structure").
const maxTags = 200

// keysOf returns the keys of the images that an element shows.
func keysOf(m map[string]any) (keys []string) {
	all := []any{m}
	for _, list := range []string{"img_list", "options"} {
		more, _ := m[list].([]any)
		all = append(all, more...)
	}
	for _, one := range all {
		with, _ := one.(map[string]any)
		if key, ok := with["img_key"].(string); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// countTags counts objects with a tag.
func countTags(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			n += countTags(one)
		}
	case map[string]any:
		if v["tag"] != nil {
			n++
		}
		for key, one := range v {
			if key != "value" && key != "chart_spec" {
				n += countTags(one)
			}
		}
	}
	return n
}

// pressable is a part of a card that users can press: its value, and the entry of a menu.
type pressable struct {
	value map[string]any
	entry string
}

// pressableOf finds the element with a value whose "button" is name, or with the label name.
func pressableOf(card map[string]any, name string) (found pressable, ok bool) {
	visit(card, false, func(e map[string]any, _ bool) {
		behaviors, _ := e["behaviors"].([]any)
		for _, b := range behaviors {
			behavior, _ := b.(map[string]any)
			value, _ := behavior["value"].(map[string]any)
			if behavior["type"] != "callback" || value == nil {
				continue
			}
			options, _ := e["options"].([]any)
			for _, o := range options {
				option, _ := o.(map[string]any)
				if entry, _ := option["value"].(string); e["tag"] == "overflow" && label(option["text"]) == name {
					found, ok = pressable{value, entry}, true
				}
			}
			if e["tag"] != "overflow" && (value["button"] == name || label(e["text"]) == name || label(e["hover_tips"]) == name) {
				found, ok = pressable{value: value}, true
			}
		}
	})
	return found, ok
}
