# file: lib/registry-lock/contend.sh
# why: a dead claimer's claim is not taken over
# test: break.bats: the claim of a dead claimer is taken over
# says: status 75, not 0
/^_registry_lock_consider() {$/,/^}$/s/^  local rl_before=.*$/&; [[ $rl_kind != claim ]] || return 1/
