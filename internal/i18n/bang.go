package i18n

// How bang commands ended.
const (
	BangExited   ID = "bang_exited"    // %d exit code, %s how long it ran
	BangTimedOut ID = "bang_timed_out" // %d seconds
	BangKilled   ID = "bang_killed"    // %s how long it ran
	BangLost     ID = "bang_lost"      // the end of the command is unknown
	BangWhole    ID = "bang_whole"     // %s size; the text of a link
	BangRefused  ID = "bang_refused"   // %s why the command could not be run
	BangBroken   ID = "bang_broken"    // our bug
	BangOffline  ID = "bang_offline"   // %s runner, %d seconds that were waited
)

var bangs = map[ID]map[Lang]string{
	BangExited:   {English: "exit code %d · %s", Chinese: "退出码 %d · %s"},
	BangTimedOut: {English: "killed: it was still running after %d s. To run it in the background, ask for it in a message.", Chinese: "已终止：%d 秒后仍在运行。需要更久的命令，请在消息里让我放到后台运行。"},
	BangKilled:   {English: "killed after %s", Chinese: "已终止，运行了 %s"},
	BangLost:     {English: "Outcome unknown: the command had started, then the machine or its runner went away. Check what it did before you repeat it.", Chinese: "结果未知：命令启动之后，机器或运行器断开了。重复之前请先检查它做了什么。"},
	BangWhole:    {English: "whole output, %s", Chinese: "完整输出，%s"},
	BangRefused:  {English: "Not run: %s", Chinese: "未执行：%s"},
	BangOffline:  {English: "runner %s is offline (waited %d s): start it, or choose another one", Chinese: "运行器 %s 离线(已等待 %d 秒)。请启动它，或改用其他运行器。"},
	BangBroken:   {English: "Something in xbot itself went wrong, so the outcome of this command is unknown. The details are in the server's log.", Chinese: "xbot 自身出错，这条命令的结果未知。详情见服务器日志。"},
}
