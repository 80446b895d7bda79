// Package archivetest makes memories and questions about them, the same ones every time, to measure how well an archive is
// searched. Questions are made by rule: other words, another order, parts of words.
package archivetest

import (
	"fmt"
	"strings"
)

// Kinds of questions.
const (
	Reordered = "another order"
	Synonyms  = "other words"
	Partial   = "parts of words"
)

// Question asks for one memory.
type Question struct {
	Text    string
	Kind    string
	Chinese bool
	Want    int // index of the memory that answers it
}

// attribute is a known fact about each person. %s is the name, %[2]s the fact.
type attribute struct {
	fact     string
	ask      [3]string // by kind: order, synonyms, parts
	values   []string
	chinese  string
	asking   [3]string
	chValues []string
}

var attributes = []attribute{
	{
		"%s lives in %s.", [3]string{"in which city lives %s", "where is the home of %s", "%s liv city"},
		[]string{"Berlin", "Lisbon", "Oslo", "Kyoto", "Austin"},
		"%s住在%s。", [3]string{"住在哪里，%s？", "%s的家在哪个城市", "%s住哪"}, []string{"上海", "北京", "成都", "杭州", "西安"},
	},
	{
		"%s is allergic to %s.", [3]string{"to what is %s allergic", "which food makes %s ill", "allerg %s"},
		[]string{"peanuts", "shellfish", "pollen", "gluten", "penicillin"},
		"%s对%s过敏。", [3]string{"过敏的东西，%s", "%s不能吃什么", "%s敏"}, []string{"花生", "海鲜", "花粉", "牛奶", "青霉素"},
	},
	{
		"The birthday of %s is on %s.", [3]string{"when is the birthday of %s", "when was %s born", "%s birthd"},
		[]string{"3 May", "17 June", "29 February", "8 August", "1 December"},
		"%s的生日是%s。", [3]string{"生日什么时候，%s", "%s哪天出生", "%s生日几号"}, []string{"五月三日", "六月十七日", "二月二十九日", "八月八日", "十二月一日"},
	},
	{
		"%s drives a %s car.", [3]string{"what car does %s drive", "which automobile has %s", "%s driv"},
		[]string{"red electric", "small green", "white rental", "vintage blue", "black diesel"},
		"%s开一辆%s的汽车。", [3]string{"汽车是什么样的，%s", "%s有什么轿车", "%s开车"}, []string{"红色", "绿色", "白色", "蓝色", "黑色"},
	},
	{
		"%s works as a %s.", [3]string{"as what works %s", "what is the job of %s", "%s work as"},
		[]string{"nurse", "carpenter", "translator", "pilot", "beekeeper"},
		"%s的工作是%s。", [3]string{"工作是什么，%s", "%s的职业", "%s做啥工作"}, []string{"护士", "木匠", "翻译", "飞行员", "老师"},
	},
	{
		"%s prefers to drink %s.", [3]string{"what does %s prefer to drink", "favourite beverage of %s", "%s drin prefer"},
		[]string{"oolong tea", "black coffee", "ginger ale", "cold milk", "tap water"},
		"%s喜欢喝%s。", [3]string{"喝什么，%s喜欢", "%s最爱的饮料", "%s爱喝"}, []string{"乌龙茶", "黑咖啡", "姜汁汽水", "冰牛奶", "白开水"},
	},
	{
		"%s has a pet %s.", [3]string{"what pet has %s", "which animal does %s keep", "pets %s"},
		[]string{"parrot", "tortoise", "greyhound", "hamster", "gecko"},
		"%s养了一只%s当宠物。", [3]string{"宠物，%s养了什么", "%s家里有什么动物", "%s养啥"}, []string{"鹦鹉", "乌龟", "灰狗", "仓鼠", "壁虎"},
	},
	{
		"%s deploys services with %s.", [3]string{"with what are services deployed by %s", "how does %s release software", "%s deploym"},
		[]string{"Kubernetes", "Ansible", "Nomad", "shell scripts", "Terraform"},
		"%s用%s部署服务。", [3]string{"部署服务用什么，%s", "%s怎么发布软件", "%s部署"}, []string{"容器平台", "自动化脚本", "云函数", "虚拟机", "裸机"},
	},
	{
		"%s wants answers to be %s.", [3]string{"how are answers to be that %s wants", "what style of replies does %s like", "%s answ want"},
		[]string{"very short", "in bullet points", "with sources", "informal", "step by step"},
		"%s希望回答%s。", [3]string{"回答要怎样，%s希望", "%s想要什么样的答复", "%s要的回答"}, []string{"非常简短", "分点列出", "附上来源", "随意一些", "一步一步来"},
	},
	{
		"%s plays the %s every weekend.", [3]string{"every weekend, what does %s play", "which instrument is %s practising", "%s weeke"},
		[]string{"cello", "banjo", "trumpet", "piano", "drums"},
		"%s每个周末演奏%s。", [3]string{"周末演奏什么，%s", "%s会什么乐器", "%s周末"}, []string{"大提琴", "班卓琴", "小号", "钢琴", "架子鼓"},
	},
}

// people have names that share parts: a name alone finds too much.
func people() (english, chinese []string) {
	for first := range strings.FieldsSeq("Alice Bruno Clara Dmitri Elena Farid Greta Henrik") {
		for last := range strings.FieldsSeq("Smith Okafor Tanaka Muller Rossi Novak Silva") {
			english = append(english, first+" "+last)
		}
	}
	for last := range strings.FieldsSeq("王 李 张 刘 陈 杨 黄") {
		for first := range strings.FieldsSeq("小明 建国 丽华 晓东 雅婷 志强 梦洁 宇航") {
			chinese = append(chinese, last+first)
		}
	}
	return english, chinese
}

// Corpus returns 1,120 memories, half of them Chinese, and 200 questions about them.
func Corpus() (memories []string, questions []Question) {
	english, chinese := people()
	kinds := []string{Reordered, Synonyms, Partial}
	for p := range english {
		for a, at := range attributes {
			value := (p*3 + a) % len(at.values)
			for c, text := range []string{fmt.Sprintf(at.fact, english[p], at.values[value]), fmt.Sprintf(at.chinese, chinese[p], at.chValues[value])} {
				n := len(memories)
				memories = append(memories, text)
				if k := p*len(attributes) + a; k*5%28 >= 5 || len(questions) >= 200 {
					continue
				}
				kind := (p + a) % len(kinds)
				q := Question{Kind: kinds[kind], Want: n, Text: fmt.Sprintf(at.ask[kind], english[p])}
				if q.Chinese = c == 1; q.Chinese {
					q.Text = fmt.Sprintf(at.asking[kind], chinese[p])
				}
				questions = append(questions, q)
			}
		}
	}
	return memories, questions
}

// Thesaurus returns what an embedder knows of the words that mean the same; of some synonyms it knows nothing.
func Thesaurus() map[string]string {
	out := map[string]string{}
	for _, same := range []string{
		"lives home city where live 住在 家在 城市", "allergic ill food allergy 过敏 能吃 不能", "birthday born when 生日 出生", "car automobile drives drive 汽车 轿车",
		"works job work 工作 职业", "drink beverage prefers favourite prefer 喜欢 饮料 最爱", "pet animal keep 宠物 动物", "deploys release software services 部署 发布 软件",
		"answers replies style 回答 答复", "plays instrument 演奏 乐器",
	} {
		words := strings.Fields(same)
		for _, w := range words {
			out[w] = words[0]
		}
	}
	return out
}
