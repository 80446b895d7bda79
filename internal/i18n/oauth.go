package i18n

// What people are told who connect an account that they have elsewhere.
const (
	OAuthAsk         ID = "oauth_ask"          // question; %s provider, %s reason
	OAuthScopes      ID = "oauth_scopes"       // %s scopes
	OAuthOpen        ID = "oauth_open"         // %s address
	OAuthNoAddress   ID = "oauth_no_address"   // nobody knows the address of the page
	OAuthButton      ID = "oauth_button"       // label of a button; %s provider
	OAuthByLink      ID = "oauth_by_link"      // a text instead of the connection; %s provider
	OAuthConnected   ID = "oauth_connected"    // %s provider
	OAuthConnectedAs ID = "oauth_connected_as" // %s provider, %s account

	OAuthTitle     ID = "oauth_title"     // title of the page; %s provider
	OAuthWhose     ID = "oauth_whose"     // %s provider, %s name of the person here
	OAuthNotYou    ID = "oauth_not_you"   // what to do who is somebody else
	OAuthGo        ID = "oauth_go"        // label of a button; %s provider
	OAuthClose     ID = "oauth_close"     // the page is not needed any more
	OAuthGoesOn    ID = "oauth_goes_on"   // the conversation goes on
	OAuthFailed    ID = "oauth_failed"    // title of a page
	OAuthOver      ID = "oauth_over"      // a state or a ticket that was used, or is too old
	OAuthForged    ID = "oauth_forged"    // a ticket that is none
	OAuthOther     ID = "oauth_other"     // somebody else is signed in
	OAuthGone      ID = "oauth_gone"      // the provider is gone or switched off
	OAuthMixed     ID = "oauth_mixed"     // another provider has answered
	OAuthSays      ID = "oauth_says"      // %s provider, %s what it says
	OAuthElsewhere ID = "oauth_elsewhere" // the form was sent from another page
	OAuthDisabled  ID = "oauth_disabled"  // the person may not come any more
	OAuthLater     ID = "oauth_later"     // %s what went wrong
	OAuthOurs      ID = "oauth_ours"      // a fault of this server
	OAuthToPage    ID = "oauth_to_page"   // link to the page
)

var oauths = map[ID]map[Lang]string{
	OAuthAsk:         {English: "May I use your account at %s? %s", Chinese: "是否允许我使用你在 %s 的账号？%s"},
	OAuthScopes:      {English: "It asks for: %s", Chinese: "请求的权限：%s"},
	OAuthOpen:        {English: "Connect it here: %s", Chinese: "请在此完成授权：%s"},
	OAuthNoAddress:   {English: "To connect it, open the page, Settings → Connected accounts.", Chinese: "请在网页的“设置 → 已连接的账号”中完成授权。"},
	OAuthButton:      {English: "Connect %s", Chinese: "连接 %s"},
	OAuthByLink:      {English: "This is answered by connecting the account at %s, not in words.", Chinese: "此处需要连接你在 %s 的账号，无法用文字回答。"},
	OAuthConnected:   {English: "connected: %s", Chinese: "已连接：%s"},
	OAuthConnectedAs: {English: "connected: %s as %s", Chinese: "已连接：%s（%s）"},

	OAuthTitle:     {English: "Connect %s", Chinese: "连接 %s"},
	OAuthWhose:     {English: "xbot will be able to use your account at %s for %s, who is asked for it.", Chinese: "授权后，xbot 可代表 %[2]s 使用你在 %[1]s 的账号。"},
	OAuthNotYou:    {English: "If you are somebody else, or have not asked for this, close this page: it would give your account to them.", Chinese: "如果你不是此人，或并未请求此操作，请关闭此页面：否则对方将能使用你的账号。"},
	OAuthGo:        {English: "Continue to %s", Chinese: "前往 %s"},
	OAuthClose:     {English: "You can close this page.", Chinese: "可以关闭此页面。"},
	OAuthGoesOn:    {English: "The conversation that asked goes on.", Chinese: "请求授权的对话会继续进行。"},
	OAuthFailed:    {English: "The account was not connected", Chinese: "账号未连接"},
	OAuthOver:      {English: "This link is too old, was used, or belongs to another browser. Nothing was stored. Open the link of the question once more, or begin in the settings.", Chinese: "此链接已过期、已被使用，或属于另一个浏览器。未保存任何内容。请重新打开询问中的链接，或在设置中重新开始。"},
	OAuthForged:    {English: "This link is not valid: check that it was copied whole.", Chinese: "此链接无效：请检查是否完整复制。"},
	OAuthOther:     {English: "Somebody else than the person whom this link is for is signed in here, or nobody is. Nothing was stored. Sign in as that person, or open the link in another browser.", Chinese: "此处登录的并非该链接所属的人，或尚未登录。未保存任何内容。请以本人身份登录，或在其他浏览器中打开。"},
	OAuthGone:      {English: "This provider was removed or is switched off. Ask an administrator.", Chinese: "此服务已被移除或停用，请联系管理员。"},
	OAuthMixed:     {English: "Another provider has answered than the one that was asked. Nothing was stored.", Chinese: "作出答复的并非所请求的服务。未保存任何内容。"},
	OAuthSays:      {English: "%s says: %s. Nothing was stored.", Chinese: "%s 的答复：%s。未保存任何内容。"},
	OAuthElsewhere: {English: "This has to be begun with the button of this page.", Chinese: "请使用此页面上的按钮开始。"},
	OAuthDisabled:  {English: "This account of xbot is disabled.", Chinese: "此 xbot 账号已停用。"},
	OAuthLater:     {English: "%s. Nothing was stored; open the link once more to try again.", Chinese: "%s。未保存任何内容；请重新打开链接再试。"},
	OAuthOurs:      {English: "Something went wrong here; the log of the server says what. Open the link once more to try again.", Chinese: "服务器出错，详情见日志。请重新打开链接再试。"},
	OAuthToPage:    {English: "Connected accounts", Chinese: "已连接的账号"},
}
