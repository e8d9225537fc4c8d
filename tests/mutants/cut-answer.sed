# file: lib/registry-lock/process.sh
# why: an answer is believed up to a NUL
# test: verdict.bats: a procid that says gone, an end of text, and fails is not believed
# says: status 0, not 75
/^_registry_lock_ask_and_wait() {$/,/^}$/s/^ *0) rl_output.*$/0) ;;/
