package charset_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"xbot/runner/charset"
)

// Texts as they are in files of Windows and of older systems.
const (
	chinese     = "# 配置文件\nname = 测试服务器\n说明 = 这是一个用于测试的配置文件，请不要修改。\n"
	chineseCode = "int main() {\n    // 打开文件，读取内容\n    return 0;\n}\n"
	chinesePoem = "床前明月光，疑是地上霜。\n举头望明月，低头思故乡。\n"
	taiwan      = "這是一個測試檔案。\n請輸入使用者名稱與密碼，然後按下確定。\n"
	japaneseDoc = "これはテスト用のファイルです。\n設定を変更しないでください。\n東京都千代田区\n"
	japaneseCSV = "名前,住所\nヤマダ,トウキョウ\n山田太郎,東京都港区\n"
	koreanDoc   = "이것은 테스트 파일입니다.\n설정을 변경하지 마십시오.\n"
	french      = "Le fichier a été créé à l'aide d'un éditeur français.\nÇa marche : déjà vu, naïve, œuvre.\n"
	german      = "Grüße aus München, schöne Straße\n"
	word        = "café\n"
	quotes      = "It\u2019s a \u201ctest\u201d \u2014 don\u2019t panic\u2026\n"
	russian     = "Это тестовый файл настроек.\nПожалуйста, не изменяйте его без необходимости.\nПривет, мир!\n"
	russianIni  = "[main]\n; имя пользователя\nuser=admin\n"
	ukrainian   = "Це тестовий файл. Його не можна змінювати, бо він потрібен іншим.\n"
)

func encoded(t testing.TB, e encoding.Encoding, text string) []byte {
	t.Helper()
	data, err := e.NewEncoder().Bytes([]byte(text))
	require.NoError(t, err)
	return data
}

func TestDecode_KnowsTheEncodingsOfFiles(t *testing.T) {
	t.Parallel()
	little, big := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	for _, c := range []struct {
		name  string
		e     encoding.Encoding
		mark  string
		texts []string
	}{
		{"UTF-8", unicode.UTF8, "", []string{"", "ascii\n", chinese, word, russian, "\u0085 \u2028 \u2029\n"}},
		{"UTF-8 with a byte order mark", unicode.UTF8, "\xef\xbb\xbf", []string{"", "ascii", chinese}},
		{"UTF-16LE", little, "\xff\xfe", []string{"", "ascii\r\n", chinese, "𝕏 😀\n"}},
		{"UTF-16BE", big, "\xfe\xff", []string{"ascii", chinese}},
		{"UTF-16LE", little, "", []string{"plain ascii\r\n", chinese, russian, japaneseDoc}},
		{"UTF-16BE", big, "", []string{"plain ascii\r\n", chinese, koreanDoc}},
		{"UTF-32LE", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "\xff\xfe\x00\x00", []string{chinese}},
		{"UTF-32BE", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "\x00\x00\xfe\xff", []string{chinese}},
		{"GBK", simplifiedchinese.GBK, "", []string{chinese, chineseCode, chinesePoem, "你好，世界\n", "价格：100€，请付款\n", "朱镕基同志説的話，大家都听到了，也都记住了。\n"}},
		{"GB18030", simplifiedchinese.GB18030, "", []string{chinese + "㐂𠮷😀\n"}},
		{"Big5", traditionalchinese.Big5, "", []string{taiwan, "你好，世界！這是測試\n"}},
		{"Shift_JIS", japanese.ShiftJIS, "", []string{japaneseDoc, japaneseCSV, "こんにちは\n"}},
		{"EUC-JP", japanese.EUCJP, "", []string{japaneseDoc, japaneseCSV}},
		{"ISO-2022-JP", japanese.ISO2022JP, "", []string{japaneseDoc}},
		{"EUC-KR", korean.EUCKR, "", []string{koreanDoc, "안녕하세요 여러분\n"}},
		{"Windows-1252", charmap.Windows1252, "", []string{french, german, word, quotes, "año, señor, ¿qué?\n"}},
		{"Windows-1251", charmap.Windows1251, "", []string{russian, russianIni, ukrainian}},
		{"KOI8-R", charmap.KOI8R, "", []string{russian, russianIni}},
	} {
		for _, text := range c.texts {
			data := append([]byte(c.mark), encoded(t, c.e, text)...)
			got, form, err := charset.Decode(data)
			require.NoError(t, err, "%s: %q", c.name, text)
			require.Equal(t, c.name, form.String(), "%q", text)
			require.Equal(t, text, got, c.name)
			require.True(t, form.Known())
			back, err := form.Encode(got)
			require.NoError(t, err)
			require.Equal(t, data, back, c.name)
		}
	}
}

func TestDecode_DoesNotGuessWhatCannotBeKnown(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"one byte":                         "\xe9",
		"two bytes":                        "\xd6\xd0",
		"Polish":                           string(encoded(t, charmap.Windows1250, "Zażółć gęślą jaźń\n")),
		"GBK beside UTF-8":                 "第一行是这样的\n" + string(encoded(t, simplifiedchinese.GBK, "第二行是这样的\n")),
		"UTF-8 beside Latin 1":             "déjà vu, déjà vu, déjà vu\nd\xe9j\xe0\n",
		"UTF-8 that is cut in a character": chinesePoem[:len(chinesePoem)-2],
		"noise":                            "\x80\x81\xfe\xff\xc0\xc1\xf5\x90\x8f\n",
		"GBK beside Shift_JIS":             string(encoded(t, simplifiedchinese.GBK, chinesePoem)) + string(encoded(t, japanese.ShiftJIS, japaneseDoc)),
	} {
		got, form, err := charset.Decode([]byte(data))
		require.NoError(t, err, name)
		require.False(t, form.Known(), "%s: taken for %s", name, form)
		require.Equal(t, data, got, "%s: the bytes stay", name)
		back, err := form.Encode(got)
		require.NoError(t, err)
		require.Equal(t, data, string(back))
	}
	for _, data := range []string{"\x00\x01", "\x7fELF\x02\x01\x01\x00\x00", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "\x00", "abc\x00def\x00\x01\x02"} {
		_, _, err := charset.Decode([]byte(data))
		require.ErrorIs(t, err, charset.ErrBinary, "%q", data)
	}
}

func TestEncode_NamesTheCharacterThatTheEncodingLacks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    encoding.Encoding
		text string
		add  string
		want string
	}{
		{simplifiedchinese.GBK, chinese, "ok\n😀", `GBK has no character '😀' (U+1F600), in line 2`},
		{traditionalchinese.Big5, taiwan, "한", `Big5 has no character '한'`},
		{japanese.ShiftJIS, japaneseDoc, "您", `Shift_JIS has no character '您'`},
		{korean.EUCKR, koreanDoc, "é", `EUC-KR has no character 'é'`},
		{charmap.Windows1252, french, "中", `Windows-1252 has no character '中'`},
		{charmap.KOI8R, russian, "—", `KOI8-R has no character '—'`},
	} {
		_, form, err := charset.Decode(encoded(t, c.e, c.text))
		require.NoError(t, err)
		_, err = form.Encode(c.add)
		require.ErrorContains(t, err, c.want)
	}
}

func TestFold_KeepsLineEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw, old, text, want, ends string
	}{
		{"a\nb\n", "a", "x\ny", "x\ny\nb\n", ""},
		{"a\r\nb\r\n", "a", "x\ny", "x\r\ny\r\nb\r\n", "CRLF"},
		{"a\r\nb", "b", "x\ny", "a\r\nx\r\ny", "CRLF"},
		{"a\r\nb\nc\r\n", "a\nb", "A\nB", "A\r\nB\nc\r\n", "CRLF and LF mixed"},
		{"a\r\nb\nc\r\n", "b\nc\n", "b\nx\nc\n", "a\r\nb\nx\r\nc\r\n", "CRLF and LF mixed"},
		{"a\nb\r\nc\n", "a\nb\nc\n", "a\nc\n", "a\nc\n", "CRLF and LF mixed"},
		{"a\rb\rc", "a\nb", "x\ny\nz", "x\ry\rz\rc", "CR"},
		{"a\u0085b\u2028c\n", "b", "x\ny", "a\u0085x\ny\u2028c\n", ""},
		{"a\r\n\r\nb", "a\n\nb", "a\nb", "a\r\nb", "CRLF"},
		{"10%\r20%\r\ndone\r\n", "done", "x\ny", "10%\r20%\r\nx\r\ny\r\n", "CRLF"},
		{"a\r\nb\nc", "c", "C", "a\r\nb\nC", "CRLF and LF mixed"}, // https://github.com/earendil-works/pi/issues/8544
		{"a\r\r\nb\n", "b", "c", "a\r\r\nc\n", "CRLF and LF mixed"},
	} {
		f := charset.Fold(c.raw)
		require.Equal(t, c.ends, f.LineEnds(), "%q", c.raw)
		i := strings.Index(f.Text, c.old)
		require.GreaterOrEqual(t, i, 0, "%q", c.raw)
		require.Equal(t, c.want, f.Replace([]charset.Replacement{{Start: i, End: i + len(c.old), Text: c.text}}), "%q", c.raw)
	}
	require.Equal(t, "x\r\ny\r\n", charset.Fold("a\r\nb\r\n").Rewrite("x\ny\n"))
	require.Equal(t, "x\ny\n", charset.Fold("a\nb\n").Rewrite("x\ny\n"))
	require.Equal(t, "x\r\ny\n", charset.Fold("a\r\nb\r\n").Rewrite("x\r\ny\n"), "the text says itself")
}

// FuzzDecode: what is decoded gives the same bytes back, whatever they are, and a text that is known is UTF-8.
func FuzzDecode(f *testing.F) {
	for _, e := range []encoding.Encoding{simplifiedchinese.GBK, simplifiedchinese.GB18030, japanese.ShiftJIS, japanese.EUCJP, japanese.ISO2022JP, korean.EUCKR, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)} {
		for _, text := range []string{chinese, japaneseDoc, "a\n"} {
			if data, err := e.NewEncoder().Bytes([]byte(text)); err == nil {
				f.Add(data)
			}
		}
	}
	f.Add([]byte("\xff\xfe\x00"))
	f.Add([]byte("\x1b$B"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, form, err := charset.Decode(data)
		if err != nil {
			return
		}
		back, err := form.Encode(text)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, back))
		require.True(t, !form.Known() || utf8.ValidString(text))
		_, _ = charset.UTF8(data)
	})
}

// FuzzFold: replacing nothing changes nothing, and outside of what is replaced the text stays.
func FuzzFold(f *testing.F) {
	f.Add("a\r\nb\nc", "\n\n", 1, 3)
	f.Add("a\rb", "\n", 0, 1)
	f.Add("\r\n\r\n", "", 0, 1)
	f.Fuzz(func(t *testing.T, raw, text string, start, end int) {
		folded := charset.Fold(raw)
		require.Equal(t, raw, folded.Rewrite(folded.Text), "the same lines")
		if start < 0 || start > end || end > len(folded.Text) {
			return
		}
		r := charset.Replacement{Start: start, End: end, Text: folded.Text[start:end]}
		require.Equal(t, raw, folded.Replace([]charset.Replacement{r}))
		r.Text = text
		got := folded.Replace([]charset.Replacement{r})
		if strings.Contains(raw+text, "\r") && folded.LineEnds() != "CRLF" || strings.Contains(text, "\r") || strings.Contains(folded.Text, "\r") {
			return
		}
		require.Equal(t, folded.Text[:start]+text+folded.Text[end:], strings.ReplaceAll(got, "\r\n", "\n"))
	})
}
