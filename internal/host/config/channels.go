package config

// ChannelVariables are the variables that set the bots without a name. config.json groups them as it groups settings:
// {"feishu": {"app_id": …}} is FEISHU_APP_ID.
var ChannelVariables = []string{
	"FEISHU_APP_ID", "FEISHU_APP_SECRET", "FEISHU_MODE", "FEISHU_VERIFICATION_TOKEN", "FEISHU_ENCRYPT_KEY", "FEISHU_DOMAIN",
	"NAPCAT_MODE", "NAPCAT_URL", "NAPCAT_TOKEN", "NAPCAT_SELF_ID", "NAPCAT_SEND_PAUSE", "NAPCAT_SIGNS",
	"QQ_APP_ID", "QQ_APP_SECRET", "QQ_MODE", "QQ_GUILD_MESSAGES", "QQ_LINKS", "QQ_TYPING", "QQ_SANDBOX", "QQ_API_URL", "QQ_TOKEN_URL",
}
