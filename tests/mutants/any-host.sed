# file: lib/registry-lock/judge.sh
# why: another host's process is looked for here
# test: verdict.bats: an entry of another host without an identity is not judged
# says: status 0, not 75
/^_registry_lock_judge_pid() {$/,/^}$/s/^  \[\[ \$2 == .*$/  :/
