package i18n

// Why a file that an answer links was not sent to the platform.
const (
	FileNotSent ID = "file_not_sent" // %s its name, %s why
	FileMissing ID = "file_missing"  //
	FileFolder  ID = "file_folder"   //
	FileEmpty   ID = "file_empty"    //
	FileOutside ID = "file_outside"  //
	FileLarge   ID = "file_large"    // %s at most
	FileMany    ID = "file_many"     // %d at most
	FileAway    ID = "file_away"     // the runner does not answer
)

// What became of a file that came with a shell command, where the command did not find it in its folder.
const (
	FileNotFetched ID = "file_not_fetched" // %s its name, %s why
	FileLate       ID = "file_late"        // it did not come in time
	FileBeside     ID = "file_beside"      // %s its name, %s its path
)

var files = map[ID]map[Lang]string{
	FileNotSent: {English: "⚠️ %s was not sent: %s", Chinese: "⚠️ 未发送 %s:%s"},
	FileMissing: {English: "there is no such file", Chinese: "文件不存在"},
	FileFolder:  {English: "it is a folder", Chinese: "这是一个文件夹"},
	FileEmpty:   {English: "it is empty", Chinese: "文件为空"},
	FileOutside: {English: "it is outside of the folder of this conversation", Chinese: "它不在本对话的文件夹内"},
	FileLarge:   {English: "files may have at most %s here", Chinese: "此处文件最大 %s"},
	FileMany:    {English: "at most %d files can be sent with this answer", Chinese: "此回答最多可附带 %d 个文件"},
	FileAway:    {English: "the machine that it is on does not answer now", Chinese: "文件所在的机器目前没有响应"},

	FileNotFetched: {English: "⚠️ %s was not fetched: %s", Chinese: "⚠️ 未取得 %s:%s"},
	FileLate:       {English: "it did not come in time", Chinese: "未能及时传到"},
	FileBeside:     {English: "%s is at %s", Chinese: "%s 位于 %s"},
}
