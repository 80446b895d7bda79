#!/bin/sh
# Backs up the database of xbot, and XBOT_HOME, to BACKUP_FOLDER (/backup).
#
#   backup.sh                makes a backup whenever the newest one is older than BACKUP_HOURS (24), and keeps the newest BACKUP_KEEP (14)
#   backup.sh once           makes one backup
#   backup.sh check          fails if the newest backup is more than an hour overdue
#   backup.sh restore NAME   restores a backup into an empty database
#
# A backup NAME is two files, xbot-NAME.dump and home-NAME.tar.gz. The dump gets its name last. The variables of libpq (PGHOST ...)
# name the database; XBOT_ROLE_PASSWORD_FILE can replace PGPASSWORD.
set -eu

folder=${BACKUP_FOLDER:-/backup}
home=${XBOT_HOME:-/var/lib/xbot}
hours=${BACKUP_HOURS:-24}
keep=${BACKUP_KEEP:-14}
: "${PGPASSWORD:=$(cat "${XBOT_ROLE_PASSWORD_FILE:-/dev/null}")}"
export PGPASSWORD
umask 077 # the files hold conversations

# recent MINUTES reports whether there is a newer backup.
recent() { find "$folder" -name 'xbot-*.dump' -mmin "-$1" | grep -q .; }

# pack leaves out logs, caches and the files of commands, which can be large. Status 1 of tar is a file that changed meanwhile.
pack() {
	tar -C "$home" -czf "$1" --exclude=./logs --exclude=./cache --exclude=./attempts --exclude=./runner --exclude=./workspaces . || [ $? -eq 1 ]
}

backup() {
	name=$(date -u +%Y%m%dT%H%M%SZ)
	if ! { pack "$folder/home-$name.part" && pg_dump --format=custom --file="$folder/xbot-$name.part" &&
		mv "$folder/home-$name.part" "$folder/home-$name.tar.gz" && mv "$folder/xbot-$name.part" "$folder/xbot-$name.dump"; }; then
		rm -f "$folder"/*"-$name".*
		echo "backup: $name failed" >&2
		return 1
	fi
	echo "backup: $name is complete"
	find "$folder" -name 'xbot-*.dump' | sort -r | tail -n "+$((keep + 1))" | while read -r old; do
		old=${old##*/xbot-}
		rm -f "$folder/home-${old%.dump}.tar.gz" "$folder/xbot-$old"
	done
	find "$folder" -name '*.part' -mmin +1440 -exec rm -f {} + # of backups that were killed
}

restore() {
	if ! [ -f "$folder/xbot-$1.dump" ]; then
		echo "backup: there is no $folder/xbot-$1.dump" >&2
		return 1
	fi
	pg_restore --dbname="$PGDATABASE" --no-owner --single-transaction "$folder/xbot-$1.dump"
	tar -C "$home" -xpzf "$folder/home-$1.tar.gz"
}

case ${1:-} in
"")
	while :; do
		recent $((hours * 60)) || backup || true
		sleep "${BACKUP_PAUSE:-60}"
	done
	;;
once) backup ;;
check) recent $((hours * 60 + 60)) ;;
restore) restore "${2:?the name of a backup is missing}" ;;
*)
	echo "backup: there is no command $1" >&2
	exit 2
	;;
esac
