# file: lib/registry-lock/process.sh
# why: a subshell takes its parent's locks for its own
# test: leave.bats: a subshell that ends gives back what it took, and nothing of its parent's
# says: registry_lock_check "$LOCK"' failed with status 76
/^_registry_lock_self_anew() {$/,/^}$/s/^  ((_registry_lock_owner == rl_pid)) /  ((_registry_lock_owner)) /
