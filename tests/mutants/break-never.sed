# file: lib/registry-lock/contend.sh
# why: the break never fires
# test: break.bats: the lock of a killed holder is broken at once, even with no time to wait
# says: status 75, not 0
/^_registry_lock_consider() {$/,/^}$/s/&& _registry_lock_break$/\&\& return 1/
