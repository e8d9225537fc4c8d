package main

const usageHint = "usage: procid [--why] PID [ID] | procid [--why] - | procid --carriers TOKEN | procid --help\n"

const help = `usage: procid [--why] PID       who has this number now?
       procid [--why] PID ID    is that very process still running?
       procid [--why] -         the same in bulk: a line "PID [ID]" on standard
                                input, a line of answer, in order
       procid --carriers TOKEN  who was started while a lock was held?
       procid --help | --version

Answers with one word:
  gone      nothing has PID; with an ID: that process provably isn't running
  unknown   it can't be told from here; never a proof of anything
  an ID     the identity of the live process that has PID

PID is plain decimal, 1 to 2147483647. An ID is one word of at most 48
characters out of a-z 0-9 _ -; compare it for equality only.
--why adds a word that says why. It is for messages, not for decisions.

--carriers names the live processes that were given TOKEN (PID.ID.N) as a word
of REGISTRY_LOCK_TOKENS in their environment: a line "PID NAME" each, at most
100, then "end N". N processes, such as other users', can't be looked at. Where
none can, the answer is "unknown". Not seen are a process that forked and hasn't
called exec since, and one that wrote over its environment.

Exit status: 0 it answered, 64 usage error or a bad line in the bulk form
(that line's answer is unknown), 74 reading or writing failed.
`
