package file_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"xbot/internal/tool/file"
	"xbot/internal/tool/tooltest"
)

// inEncoding is a text in an encoding.
func inEncoding(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	out, err := e.NewEncoder().String(text)
	require.NoError(t, err)
	return out
}

func TestFiles_KeepTheirEncodingAndLineEnds(t *testing.T) {
	t.Parallel()
	const mark = "\xef\xbb\xbf"
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	for _, c := range []struct {
		name     string
		e        encoding.Encoding
		text     string
		old, new string
		lacks    string // a character that the encoding does not have
	}{
		{"UTF-8 with a byte order mark", nil, mark + "一\r\n二\r\n", "二", "三", ""},
		{"UTF-16LE", utf16, "第一行\r\n第二行\r\n", "第二行", "第三行", ""},
		{"UTF-16BE", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "第一行\r\n第二行", "第二行", "第三行", ""},
		{"GBK", simplifiedchinese.GBK, "# 配置文件\r\n名称 = 测试服务器\r\n", "测试服务器", "正式服务器", "😀"},
		{"GB18030", simplifiedchinese.GB18030, "# 配置文件 😀\n名称 = 测试服务器\n", "测试服务器", "正式服务器 𠮷", ""},
		{"Big5", traditionalchinese.Big5, "請輸入使用者名稱與密碼\r\n然後按下確定\r\n", "確定", "取消", "한"},
		{"Shift_JIS", japanese.ShiftJIS, "これはテストです。\r\n設定ファイル\r\n", "設定", "構成", "您"},
		{"EUC-JP", japanese.EUCJP, "これはテストです。\n設定ファイル\n", "設定", "構成", "한"},
		{"EUC-KR", korean.EUCKR, "이것은 테스트 파일입니다.\r\n설정을 변경하지 마십시오.\r\n", "변경하지", "수정하지", "é"},
		{"Windows-1252", charmap.Windows1252, "Le fichier a été créé.\r\nDéjà vu.\r\n", "Déjà vu", "Ça marche — très bien", "中"},
		{"Windows-1251", charmap.Windows1251, "Это тестовый файл настроек.\r\nПривет, мир!\r\n", "мир", "Москва", "中"},
		{"KOI8-R", charmap.KOI8R, "Это тестовый файл настроек.\nПривет, мир!\n", "мир", "Москва", "中"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := func(text string) string {
				if c.e == nil {
					return text
				}
				return inEncoding(t, c.e, text)
			}
			box, plain := tooltest.New(t), strings.ReplaceAll(strings.TrimPrefix(c.text, mark), "\r\n", "\n")
			box.Put(t, "f", in(c.text))
			shown := ok(t, box, file.NewRead(nil), args{"path": "f"})
			require.Contains(t, shown, "1\t"+strings.Split(plain, "\n")[0]+"\n2\t")
			require.Contains(t, shown, "(encoding: "+c.name)
			require.NotContains(t, shown, "\uFFFD")

			ok(t, box, file.NewReplace(tooltest.NewMemory()), args{"path": "f", "old_string": c.old, "new_string": c.new})
			edited := strings.Replace(c.text, c.old, c.new, 1)
			require.Equal(t, in(edited), box.Get(t, "f"))
			if c.lacks != "" {
				said := fails(t, box, file.NewReplace(tooltest.NewMemory()), args{"path": "f", "old_string": c.new, "new_string": c.lacks})
				require.Contains(t, said, c.name+" has no character '"+c.lacks+"'")
				said = fails(t, box, file.NewCreate(), args{"path": "f", "content": c.lacks, "rewrite": true})
				require.Contains(t, said, "nothing was written")
				require.Equal(t, in(edited), box.Get(t, "f"))
			}
			rewritten := strings.TrimPrefix(strings.ReplaceAll(c.text, c.old, c.new+c.new), mark)
			said := ok(t, box, file.NewCreate(), args{"path": "f", "content": strings.ReplaceAll(rewritten, "\r\n", "\n"), "rewrite": true})
			require.Contains(t, said, "Kept encoding: "+c.name)
			if c.e == nil {
				rewritten = mark + rewritten
			}
			require.Equal(t, in(rewritten), box.Get(t, "f"))
		})
	}
}

func TestFileReplace_FindsWhatReadShowsWhateverTheLineEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before string
		a      args
		after  string
	}{
		"CRLF, one line becomes several":   {"a\r\nb\r\n", args{"old_string": "a", "new_string": "x\ny\nz"}, "x\r\ny\r\nz\r\nb\r\n"},
		"CRLF, the last line":              {"a\r\nb", args{"old_string": "b", "new_string": "x\ny"}, "a\r\nx\r\ny"},
		"mixed, as Read shows it":          {"a\r\nb\nc\r\nd\n", args{"old_string": "a\nb\nc\n", "new_string": "a\nB\nc\n"}, "a\r\nB\nc\r\nd\n"},
		"mixed, from LF lines":             {"a\nb\r\nc\n", args{"old_string": "a\nb", "new_string": "x\ny"}, "x\ny\r\nc\n"},
		"old Mac":                          {"a\rb\rc\r", args{"old_string": "b\nc", "new_string": "x\ny\nz"}, "a\rx\ry\rz\r"},
		"a range of lines of an old Mac":   {"x\rx\rx", args{"old_string": "x", "new_string": "y", "start_line": 2, "end_line": 2}, "x\ry\rx"},
		"a carriage return is asked for":   {"a\r\nb\r\n", args{"old_string": "\r\n", "new_string": "\n", "replace_all": true}, "a\nb\n"},
		"CRLF is named for a file with LF": {"a\nb\n", args{"old_string": "a\r\nb", "new_string": "x\r\ny"}, "x\ny\n"},
		"regex, the end of a line":         {"a\r\nb\r\n", args{"regex": true, "old_string": "a$", "new_string": "x"}, "x\r\nb\r\n"},
		"regex, white space at ends":       {"a \r\nb\t\r\n", args{"regex": true, "old_string": `[ \t]+$`, "new_string": "", "replace_all": true}, "a\r\nb\r\n"},
		"regex over lines":                 {"a\r\nb\r\nc\r\n", args{"regex": true, "old_string": `a\nb`, "new_string": "x\ny\nz"}, "x\r\ny\r\nz\r\nc\r\n"},
		"regex that names it":              {"a\r\nb\n", args{"regex": true, "old_string": `\r$`, "new_string": ""}, "a\nb\n"},
		"next line and line separator":     {"a\u0085b\u2028c\n", args{"old_string": "b", "new_string": "x"}, "a\u0085x\u2028c\n"},
		"no final line end is added":       {"a\r\nb", args{"old_string": "a", "new_string": "x"}, "x\r\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := tooltest.New(t)
			box.Put(t, "f", c.before)
			c.a["path"] = "f"
			ok(t, box, file.NewReplace(tooltest.NewMemory()), c.a)
			require.Equal(t, c.after, box.Get(t, "f"))
		})
	}
}

func TestFileReplace_ChangesOnlyWhatIsKnownOfMixedAndUnknownFiles(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	unsure := "first line\nl\xb3ka\nlast line\n"
	mixed := "第一行是这样的\nplain\n" + inEncoding(t, simplifiedchinese.GBK, "第二行是这样的\n")
	edit := func(name string, a args) args { a["path"] = name; return a }
	replace := file.NewReplace(tooltest.NewMemory())
	for _, c := range []struct {
		before  string
		a       args
		after   string // empty: refused
		refused string
	}{
		{unsure, args{"old_string": "first line", "new_string": "1st line"}, "1st line\nl\xb3ka\nlast line\n", ""},
		{unsure, args{"old_string": "first line", "new_string": "café"}, "", "encoding of"},
		{unsure, args{"old_string": "ka", "new_string": "ko"}, "", "at line 2"},
		{mixed, args{"old_string": "plain", "new_string": "纯文本"}, strings.Replace(mixed, "plain", "纯文本", 1), ""},
		{mixed, args{"old_string": "第一行", "new_string": "第二行"}, strings.Replace(mixed, "第一行", "第二行", 1), ""},
		{mixed, args{"old_string": "plain\n", "new_string": ""}, strings.Replace(mixed, "plain\n", "", 1), ""},
		{mixed, args{"old_string": "plain\n", "new_string": "joined "}, "", "at line 2"},
		{mixed, args{"old_string": "plain", "new_string": "\uFFFD"}, "", "nothing was written"},
	} {
		box.Put(t, "f", c.before)
		require.Contains(t, ok(t, box, file.NewRead(nil), args{"path": "f"}), "shown as \uFFFD, and only lines without them can be edited)")
		if c.refused != "" {
			require.Contains(t, fails(t, box, replace, edit("f", c.a)), c.refused)
			require.Equal(t, c.before, box.Get(t, "f"))
			continue
		}
		ok(t, box, replace, edit("f", c.a))
		require.Equal(t, c.after, box.Get(t, "f"))
	}
	box.Put(t, "f", unsure)
	require.Contains(t, fails(t, box, file.NewCreate(), args{"path": "f", "content": "l\uFFFDka", "rewrite": true}), "U+FFFD")
	require.Contains(t, ok(t, box, file.NewCreate(), args{"path": "f", "content": "łąka", "rewrite": true}), "It is UTF-8 now")
}

func TestRead_SaysHowLinesEnd(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	for content, want := range map[string]string{
		"a\nb\n":       "1\ta\n2\tb",
		"a\r\nb\r\n":   "1\ta\n2\tb\n(line ends: CRLF; edits keep this)",
		"a\r\nb\n":     "1\ta\n2\tb\n(line ends: CRLF and LF mixed; edits keep this)",
		"a\rb":         "1\ta\n2\tb\n(line ends: CR; edits keep this)",
		"\xef\xbb\xbf": "(the file is empty)",
	} {
		box.Put(t, "f", content)
		require.Equal(t, want, ok(t, box, file.NewRead(nil), args{"path": "f"}), "%q", content)
	}
}
