# file: lib/registry-lock/judge.sh
# why: kill alone proves that a process is gone
# test: verdict.bats: without procid a number is not gone unless a ps that lists the asker says so too
# says: status 0, not 75
s/ && _registry_lock_unlisted "\$1"; then/; then/
