# file: lib/registry-lock/release.sh
# why: the loss of the lock is no failure of its release
# test: break.bats: a lock that was removed by hand is lost to its holder, who touches nothing
# says: a ended with 0, not 76
/^_registry_lock_not_back() {$/,/^}$/s/^  return 76$/  return 0/
