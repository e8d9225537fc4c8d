# file: lib/registry-lock/contend.sh
# why: a claim that came to nothing is not undone
# test: break.bats: a live breaker that can't remove the lock leaves no claim of its own
# says: ' is not 'holder.
s/^  _registry_lock_claim "\$rl_lock" "\$rl_claim" "\$rl_entry"$/  :/
