# file: lib/registry-lock/process.sh
# why: a subshell takes its parent's locks for its own
# test: release.bats: a subshell releases nothing of its parent's, by name, all at once or when it ends
# says: XX
/^_registry_lock_self() {$/,/^}$/s/^  if \[\[ .*$/  if [[ ${_registry_lock_owner-0} == 0 ]]; then/
