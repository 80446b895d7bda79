package i18n

// Reasons why a file linked by an answer was not sent to the platform.
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

// Notes on files that came with a shell command and were not found in its folder.
const (
	FileNotFetched ID = "file_not_fetched" // %s its name, %s why
	FileLate       ID = "file_late"        // it did not arrive in time
	FileBeside     ID = "file_beside"      // %s its name, %s its path
)

// FilesNowhere is for a user whose files were not fetched because there is no runner to store them.
const FilesNowhere ID = "files_nowhere"

var files = map[ID]map[Lang]string{
	FileNotSent: {English: "⚠️ %s was not sent: %s", Chinese: "⚠️ 未发送 %s:%s"},
	FileMissing: {English: "there is no such file", Chinese: "文件不存在"},
	FileFolder:  {English: "it is a folder", Chinese: "这是一个文件夹"},
	FileEmpty:   {English: "it is empty", Chinese: "文件为空"},
	FileOutside: {English: "it is outside of the folder of this conversation", Chinese: "它不在本对话的文件夹内"},
	FileLarge:   {English: "files may have at most %s here", Chinese: "此处文件最大 %s"},
	FileMany:    {English: "at most %d files can be sent with this answer", Chinese: "此回答最多可附带 %d 个文件"},
	FileAway:    {English: "its machine does not answer now", Chinese: "文件所在的机器目前没有响应"},

	FileNotFetched: {English: "⚠️ %s was not fetched: %s", Chinese: "⚠️ 未取得 %s:%s"},
	FileLate:       {English: "it did not arrive in time", Chinese: "未能及时传到"},
	FileBeside:     {English: "%s is at %s", Chinese: "%s 位于 %s"},

	FilesNowhere: {
		English: "⚠️ What you sent was not fetched: you have no runner, the machine on which I keep files and run commands. Connect one (Settings, Runners, or `/runner create NAME`) or choose one with `/runner use NAME`, then send it again. You are told this once a day at most.",
		Chinese: "⚠️ 你发送的文件没有接收：你还没有可用的运行器（存放文件、运行命令的机器）。请连接一个：设置 → 运行器，或 `/runner create 名称`；也可以用 `/runner use 名称` 另选一个，然后重新发送。此提示每天最多发一次。",
	},
}

// Why a link to a file does not work.
const (
	LinkExpired  ID = "link_expired"   // a signed link that was good once
	LinkForged   ID = "link_forged"    // a link that this server did not sign
	LinkNoFile   ID = "link_no_file"   // what the link leads to was removed
	LinkNoRunner ID = "link_no_runner" // the account or the runner behind the link is gone
	LinkOffline  ID = "link_offline"   // %s runner
	LinkLater    ID = "link_later"     // something is down
)

// Why the page of a service is not shown.
const (
	ServiceUnknown   ID = "service_unknown"
	ServiceWithdrawn ID = "service_withdrawn"
	ServiceAway      ID = "service_away" // something is down
)

var links = map[ID]map[Lang]string{
	LinkExpired:  {English: "This link has expired. Ask for a new one.", Chinese: "此链接已过期，请重新获取。"},
	LinkForged:   {English: "This link is not valid. Check that it was copied whole.", Chinese: "此链接无效，请检查是否完整复制。"},
	LinkNoFile:   {English: "The file of this link no longer exists.", Chinese: "此链接指向的文件已不存在。"},
	LinkNoRunner: {English: "The account or the runner of this link no longer exists, or may not be used.", Chinese: "此链接所属的账号或运行器已不存在，或不再可用。"},
	LinkOffline:  {English: "The file is on runner %s, which is offline. Try again when it is connected.", Chinese: "文件位于运行器 %s，该运行器当前离线，请在其连接后重试。"},
	LinkLater:    {English: "The file cannot be read right now. Try again in a moment.", Chinese: "暂时无法读取该文件，请稍后重试。"},

	ServiceUnknown:   {English: "There is no service at this address. Check that the link was copied whole.", Chinese: "此地址没有对应的服务，请检查链接是否完整复制。"},
	ServiceWithdrawn: {English: "This service is not offered at the moment. Ask the one who gave you the link.", Chinese: "此服务目前已停止提供，请联系给你链接的人。"},
	ServiceAway:      {English: "This service cannot be reached right now. Try again in a moment.", Chinese: "暂时无法连接此服务，请稍后重试。"},
}
