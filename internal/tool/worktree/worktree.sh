# Above this stand action, name, me, force and workspace. The last line of what is printed may say "now in <folder>".
LC_ALL=C
export LC_ALL
no() { printf '%s\n' "$*"; exit 1; }

top=$(git rev-parse --show-toplevel 2>&1) || no "There is no git repository here ($top). Move to one with Cd, or run git init and commit."
root=$(cd "$workspace" && pwd -P)

# One at a time asks git about a repository: while one makes a worktree, another would read half of it ("failed to read
# commondir"). The system gives the lock back when the script ends, however it ends. What git leaves running does not have it.
git() { command git "$@" 9>&-; }
common=$(cd "$(git rev-parse --git-common-dir)" && pwd -P)
case "$common/" in "${root%/}"/*)
  if command -v flock >/dev/null 2>&1 && ( : 9>>"$common/xbot-worktrees.lock" ) 2>/dev/null; then
    exec 9>>"$common/xbot-worktrees.lock"
    flock 9
  fi ;;
esac

main=$(git worktree list --porcelain | sed -n '1s/^worktree //p')
case "$main/" in "${root%/}"/*) ;; *) no "The repository $main is outside the workspace $root: a worktree of it cannot be made here." ;; esac
was=$(pwd -P)
base=$(git rev-parse -q --verify HEAD) || no "The repository has no commit yet: commit first."
cd "$main" || exit 1
branch=xbot/$name
path=$main/.xbot/worktrees/$name

# A field of a worktree as git lists it: branch or locked.
field() { git worktree list --porcelain | awk -v want="worktree $1" -v key="$2" '/^worktree /{on=($0==want)} on && $1==key {sub(/^[a-z]+ ?/,""); print; exit}'; }
listed() { git worktree list --porcelain | grep -qxF "worktree $1"; }
mine() { [ "$(field "$1" locked)" = "$me" ]; }
changes() { git -C "$1" status --porcelain 2>/dev/null; }
count() { if [ -z "$1" ]; then echo 0; else printf '%s\n' "$1" | wc -l | tr -d ' '; fi; }
# Commits of a branch that no other branch has.
own() { git rev-list --count "$1" --not --exclude="$1" --branches --remotes "$(git rev-parse HEAD)"; }

keep_out_of_sight() {
  file=$(git rev-parse --git-path info/exclude)
  mkdir -p "$(dirname "$file")"
  grep -qxF '/.xbot/worktrees/' "$file" 2>/dev/null || printf '/.xbot/worktrees/\n' >> "$file"
}

begin() {
  if [ -L .xbot ] || [ -L .xbot/worktrees ]; then no "$main/.xbot is a link: worktrees are not made through links."; fi
  if listed "$path" && [ ! -d "$path" ]; then # somebody removed the folder
    git worktree unlock "$path" 2>/dev/null
    git worktree prune
  fi
  if listed "$path"; then
    held=$(field "$path" locked)
    [ -z "$held" ] || [ "$held" = "$me" ] || no "$branch is in use by another conversation, in $path: give another instance."
    printf 'The worktree is there already, on branch %s.\n' "$(field "$path" branch | sed 's,^refs/heads/,,')"
  else
    keep_out_of_sight
    if git rev-parse -q --verify "refs/heads/$branch" >/dev/null; then
      said=$(git worktree add "$path" "$branch" 2>&1) || no "git: $said"
      printf 'Made from the branch %s, which was there, with %s commits of its own.\n' "$branch" "$(own "$branch")"
    else
      said=$(git worktree add -b "$branch" "$path" "$base" 2>&1) || no "git: $said"
      printf 'Made on the new branch %s, from %s.\n' "$branch" "$(git log -1 --format='%h %s' "$base" | cut -c1-100)"
    fi
    left=$(count "$(changes "$top")")
    [ "$left" = 0 ] || printf 'The %s uncommitted changes in %s are not in it.\n' "$left" "$top"
  fi
  mine "$path" || git worktree lock --reason "$me" "$path" 2>/dev/null
  mine "$path" || no "$branch is in use by another conversation: give another instance."
  printf 'now in %s\n' "$path"
}

cleanup() {
  listed "$path" || no "There is no worktree $name here: see action status."
  held=$(field "$path" locked)
  [ -z "$held" ] || [ "$held" = "$me" ] || no "$branch belongs to another conversation."
  lost=$(changes "$path")
  loose=$(git -C "$path" rev-list --count HEAD --not --branches --remotes 2>/dev/null || echo 0)
  if [ -z "$force" ] && { [ -n "$lost" ] || [ "$loose" != 0 ]; }; then
    [ -z "$lost" ] || printf 'These %s changes are not committed and would be lost:\n%s\n' "$(count "$lost")" "$(printf '%s\n' "$lost" | head -20)"
    [ "$loose" = 0 ] || printf '%s commits are on no branch and would be lost.\n' "$loose"
    no "Nothing was removed. Commit them, or say force."
  fi
  git worktree unlock "$path" 2>/dev/null
  said=$(git worktree remove --force "$path" 2>&1) || no "git: $said"
  printf 'Removed %s' "$path"
  [ -z "$lost" ] || printf ', with %s uncommitted changes' "$(count "$lost")"
  printf '.\n'
  if git rev-parse -q --verify "refs/heads/$branch" >/dev/null; then
    commits=$(own "$branch")
    if [ "$commits" = 0 ]; then
      git branch -q -D "$branch" && printf 'The branch %s had no commits of its own and is gone.\n' "$branch"
    else
      printf 'The branch %s stays, with %s commits of its own.\n' "$branch" "$commits"
    fi
  fi
  case "$was/" in "$path"/*) printf 'now in %s\n' "$main" ;; esac
}

status() {
  found=$(git worktree list --porcelain | sed -n 's/^worktree //p' | while IFS= read -r tree; do
    on=$(field "$tree" branch)
    on=${on#refs/heads/}
    whose="another conversation's"
    if mine "$tree"; then whose=yours; fi
    if [ "${on#xbot/}" != "$on" ]; then
      printf '%s · %s · %s commits of its own · %s uncommitted changes · %s\n' "$on" "$whose" "$(own "$on")" "$(count "$(changes "$tree")")" "$tree"
    fi
  done)
  printf '%s\n' "${found:-There are no worktrees of agents in $main.}"
}

case "$action" in init) begin ;; cleanup) cleanup ;; status) status ;; esac
