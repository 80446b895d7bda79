package main

import (
	"fmt"
	"strconv"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/channel/qq/qqtest"
)

func feishu() (platform, error) {
	s, err := feishutest.New(feishutest.Config{})
	if err != nil {
		return platform{}, err
	}
	carol := feishutest.Person{OpenID: "ou_carol", Name: "Carol"}
	team := s.Group("The Team", carol)
	return platform{
		env: []string{"FEISHU_APP_ID=" + s.AppID, "FEISHU_APP_SECRET=" + s.Secret, "FEISHU_DOMAIN=" + s.URL},
		say: func(group bool, text string) string {
			in := feishutest.Incoming{From: carol, Text: text}
			if group {
				in.Chat, in.Text = team, "@_user_1 "+text
				in.Mentions = []feishutest.Mention{{Key: "@_user_1", Person: feishutest.Bot()}}
			}
			return s.Write(in)
		},
		again: s.Again, cut: s.Disconnect, close: s.Close,
		shown: func() (all []shown) {
			for where, chat := range map[string]string{"direct": s.Direct(carol), "group": team} {
				for _, m := range s.Shown(chat, "") {
					all = append(all, shown{m.ID, where, m.Text, m.Buttons})
				}
			}
			return all
		},
	}, nil
}

func qq() (platform, error) {
	s, err := qqtest.New(qqtest.Config{})
	if err != nil {
		return platform{}, err
	}
	carol, set := qqtest.Person{ID: "CAROL", Name: "Carol"}, s.Settings()
	return platform{
		env: []string{"QQ_APP_ID=" + set["app_id"], "QQ_APP_SECRET=" + set["app_secret"], "QQ_API_URL=" + set["api_url"]},
		say: func(group bool, text string) string {
			in := qqtest.Incoming{Scene: qqtest.Direct, From: carol, Text: text}
			if group {
				in.Scene, in.Chat, in.Mention = qqtest.Group, "TEAM", true
			}
			return s.Write(in)
		},
		again: s.Again, cut: s.Disconnect, close: s.Close,
		shown: func() (all []shown) {
			for _, chat := range [][2]string{{qqtest.Direct, carol.ID}, {qqtest.Group, "TEAM"}} {
				for _, m := range s.Messages(chat[0], chat[1]) {
					one := shown{id: m.ID, where: chat[0], text: m.Text}
					for _, b := range m.Buttons {
						one.buttons = append(one.buttons, b.Label)
					}
					all = append(all, one)
				}
			}
			return all
		},
	}, nil
}

func napcat() (platform, error) {
	const carol, team, token = "20007", "20001", "napcat-secret"
	s, err := onebottest.New(onebottest.Options{Token: token})
	if err != nil {
		return platform{}, err
	}
	s.AddPerson(carol, "Carol")
	s.AddGroup(team, "The Team", map[string]string{carol: "Carol"})
	return platform{
		env: []string{"NAPCAT_URL=" + s.URL(), "NAPCAT_TOKEN=" + token},
		say: func(group bool, text string) string {
			if group {
				return fmt.Sprint(s.Say(onebottest.Group(team), carol, onebottest.At(s.Self()), onebottest.Text(" "+text)))
			}
			return fmt.Sprint(s.Say(onebottest.Person(carol), carol, onebottest.Text(text)))
		},
		again: func(id string) {
			if n, err := strconv.ParseInt(id, 10, 32); err == nil {
				s.Again(int32(n))
			}
		},
		cut: s.Disconnect, close: s.Close,
		shown: func() (all []shown) {
			for where, place := range map[string]onebottest.Place{"direct": onebottest.Person(carol), "group": onebottest.Group(team)} {
				for _, m := range s.OfBot(place) {
					all = append(all, shown{id: fmt.Sprint(m.ID), where: where, text: s.Read(m)})
				}
			}
			return all
		},
	}, nil
}
