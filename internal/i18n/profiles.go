package i18n

// Texts about the profiles of users, and about memory that is switched off.
const (
	HelpProfile     ID = "help_profile"
	ProfileUsage    ID = "profile_usage"
	ProfileNone     ID = "profile_none"     // nothing was written
	ProfileIs       ID = "profile_is"       // %d characters, %d at most; the text follows
	ProfileZone     ID = "profile_zone"     // %s timezone
	ProfileSet      ID = "profile_set"      // it is as the user wrote it
	ProfileGone     ID = "profile_gone"     // it is empty now
	ProfileNotHere  ID = "profile_not_here" // others read along
	ProfileTooLong  ID = "profile_too_long" // %d characters, %d at most
	ProfileBadZone  ID = "profile_bad_zone" // %s is no timezone
	ProfileConflict ID = "profile_conflict" // changed concurrently
	MemorizeOff     ID = "memorize_off"     // conversations are not put into memory
)

var profiles = map[ID]map[Lang]string{
	HelpProfile: {English: "shows or changes your profile, which the model reads in your own conversations", Chinese: "查看或修改你的个人资料(仅用于你自己的对话)"},
	ProfileUsage: {
		English: "Write `/profile`, `/profile edit TEXT`, `/profile timezone Europe/Berlin` (or `none`), or `/profile clear`.",
		Chinese: "用法：`/profile`、`/profile edit 内容`、`/profile timezone Asia/Shanghai`(或 `none`)、`/profile clear`。",
	},
	ProfileNone: {
		English: "You have written nothing about yourself. `/profile edit TEXT` does: how you want to be addressed, and what is good to know.",
		Chinese: "你还没有填写个人资料。可用 `/profile edit 内容` 填写：希望被如何称呼，以及需要了解的事项。",
	},
	ProfileIs:       {English: "The model reads your profile, %d of %d characters, in your own conversations:", Chinese: "你的个人资料(%d/%d 字)，会在你自己的对话中使用："},
	ProfileZone:     {English: "Your timezone: %s.", Chinese: "你的时区：%s。"},
	ProfileSet:      {English: "Your profile is saved; the model reads it from your next message on.", Chinese: "个人资料已保存，从下一条消息起生效。"},
	ProfileGone:     {English: "Your profile is empty now.", Chinese: "个人资料已清空。"},
	ProfileNotHere:  {English: "Other people read this conversation. Write `/profile` in a conversation of your own.", Chinese: "其他人能看到这个对话。请在你自己的对话中使用 `/profile`。"},
	ProfileTooLong:  {English: "The text has %d characters; a profile has at most %d. Shorten it.", Chinese: "内容共 %d 字，个人资料最多 %d 字，请缩短。"},
	ProfileBadZone:  {English: "“%s” is no timezone. Write a name such as `Europe/Berlin` or `Asia/Shanghai`.", Chinese: "“%s”不是有效的时区，请写 `Asia/Shanghai` 或 `Europe/Berlin` 这样的名称。"},
	ProfileConflict: {English: "Your profile was changed elsewhere meanwhile. Look at `/profile`, and write again.", Chinese: "个人资料刚在别处被修改。请先查看 `/profile`，然后重新写入。"},
	MemorizeOff: {
		English: "Conversations that end are not put into memory here: that is switched off. What the model writes down by itself, and what you write, is kept.",
		Chinese: "此处已关闭自动记忆：结束的对话不会写入记忆。模型主动记录的和你写入的内容仍会保存。",
	},
}
