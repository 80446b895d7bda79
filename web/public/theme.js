// Runs before the first paint, so that a page set to dark never flashes white.
;(function () {
  try {
    var theme = localStorage.getItem("xbot.theme")
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
  } catch {
    // Storage is blocked: the system's preference holds.
  }
})()
