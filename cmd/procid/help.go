package main

const usageHint = "usage: procid [--why] PID [ID] | procid [--why] TOKEN | procid [--why] - | procid --carriers TOKEN | procid --wait PID ID | procid --help\n"

const help = `usage: procid [--why] PID       who has this number now?
       procid [--why] PID ID    is that very process still running?
       procid [--why] TOKEN     the same of PID.ID.N, and where it isn't running,
                                its carriers
       procid [--why] -         in bulk: a line "PID", "PID ID" or "TOKEN" on
                                standard input, a line of answer, in order; an
                                empty line is the answer to an empty line
       procid --carriers TOKEN  who was started while a lock was held?
       procid --wait PID ID     the same, and again when that process has ended
       procid --help | --version

Answers with one word:
  gone      nothing has PID; with an ID: that process provably isn't running
  unknown   it can't be told from here; never a proof of anything
  an ID     the identity of the live process that has PID

PID is plain decimal, 1 to 2147483647. An ID is one word of at most 48
characters out of a-z 0-9 _ -; compare it for equality only.
--why adds a word that says why. It is for messages, not for decisions.

--carriers names the live processes that were given TOKEN as a word of
REGISTRY_LOCK_TOKENS in their environment: a line "PID NAME" each, at most 100,
then "end N". N processes, such as other users', can't be looked at. Where none
can, the answer is "unknown". Not seen are a process that forked and hasn't called
exec since, and one that wrote over its environment. As part of an answer all this
is in one line, behind "gone" and why.

--wait answers with the ID and stays; when that process has ended it answers
"gone". It ends at once with another first answer, "unknown" also where the system
can't tell of an end (only Linux 5.3 and newer can), and as soon as nobody reads its
standard output.

Environment: REGISTRY_LOCK_TENANT, 1 to 64 characters out of A-Z a-z 0-9 . _ -,
on Linux: you assert that at most one pid namespace at a time uses the locks of
that tenant. IDs then carry it, and a process that it recorded in another pid
namespace is gone. Where that is not so, locks of live processes are taken away.

Exit status: 0 it answered, 64 usage error or a bad line in the bulk form
(that line's answer is unknown), 74 reading or writing failed.
`
