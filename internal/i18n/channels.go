package i18n

// What people are told about messages of their platform.
const (
	LinksLeftOut ID = "links_left_out" // the platform blocks addresses
)

var channels = map[ID]map[Lang]string{
	LinksLeftOut: {English: "(Links are not permitted here: their addresses were left out.)", Chinese: "(此处不允许发送链接，网址已略去。)"},
}
