# file: lib/registry-lock/store.sh
# why: the entry is written when the directory is in place
# test: break.bats: a process killed after any step of acquiring a free lock wedges nobody
# says: has no holder recorded
/^_registry_lock_prepare() {$/,/^}$/s/^  _registry_lock_write_entry .*$/  :/
/^_registry_lock_prepare() {$/,/^}$/s/^  \[\[ \$rl_text == "\$rl_wanted" \]\]$/  _registry_lock_late=$rl_wanted/
/^_registry_lock_place() {$/,/^}$/s/mv -n -- .*$/&; _registry_lock_exists "$1\/$2" || printf %s "$_registry_lock_late" >"$3\/$2\/$4"/
