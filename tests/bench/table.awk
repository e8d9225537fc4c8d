# table.awk, with numbers.awk: the table of BENCH.md.
END {
  print "| test | what | ours | goal | beside it, and in this run's time |"
  print "| --- | --- | --- | --- | --- |"
  cycles(); whole(); contest(); hand_over(); probe()
}

function two(number) { return number == "" ? "" : sprintf(number < 10 ? "%.2f" : "%.0f", number) }
function ms(measure, kind, x,   us) {
  us = median(measure, kind, x)
  return us == "" ? "not run" : two(us / 1000) " ms"
}
function row(test, what, ours, goal, beside) {
  if (ours != "") print "| " test " | " what " | " ours " | " goal " | " beside " |"
}

function steady(what, kind) {
  if (!(("A.forks", kind, 14) in rounds)) return ""
  return (median("A." what, kind, 14) - median("A." what, kind, 4)) / 10
}
function first_more(what) {
  if (steady(what, "ours") == "") return ""
  return median("A." what, "ours", 0) - median("A." what, "ours", -1) - steady(what, "ours")
}
function cycles(   i, what, names) {
  split("programs forks", names)
  for (i = 1; i <= 2; i++) {
    what = names[i]
    row("A", what " a cycle, from the second one on", steady(what, "ours"), "2",
      "bare mkdir " steady(what, "mkdir") ", flock " steady(what, "flock"))
    row("A", what " more for the first cycle", first_more(what), "3 or less", "")
  }
  row("A", "rate to that of bare mkdir", two(ratio("A", "mkdir", 1, "A", "ours", 1)), "0.75 or more",
    "a cycle: ours " ms("A", "ours", 1) ", bare mkdir " ms("A", "mkdir", 1))
  row("A", "rate to that of flock on a descriptor", two(ratio("A", "flock", 1, "A", "ours", 1)), "",
    "flock " ms("A", "flock", 1))
}

function whole() {
  row("B", "`registry-lock run L true` to the bare idiom's script",
    two(ratio("B", "run", 1, "B", "mkdir", 1)), "2.2 or less",
    "flock " two(ratio("B", "flock", 1, "B", "mkdir", 1)) "; ours " ms("B", "run", 1) \
    ", the script " ms("B", "mkdir", 1))
  row("B", "a script with the library to the bare idiom's", two(ratio("B", "ours", 1, "B", "mkdir", 1)), "",
    "of " ms("B", "ours", 1) ": a bash that runs true " ms("B", "bash", 1) \
    ", one that sources the library as well " ms("B", "source", 1) ", a procid " ms("B", "procid", 1))
}

function contest(   i, w, lost, cut) {
  for (i = 1; i <= count["C.rate", "ours"]; i++) {
    w = x_of["C.rate", "ours", i]
    lost += total("C.lost", "ours", w)
    cut += total("C.cut", "ours", w)
    if (w != 2 && w != 8 && w != 32 && w != 128) continue
    row("C", w " workers: rate to our own at 1", two(ratio("C.rate", "ours", w, "C.rate", "ours", 1)),
      w == 32 ? "0.8 or more" : "", "flock to its own " two(ratio("C.rate", "flock", w, "C.rate", "flock", 1)) \
      bare(w, ratio("C.rate", "mkdir", w, "C.rate", "mkdir", 1)))
    row("C", w " workers: rate to that of flock", two(ratio("C.rate", "ours", w, "C.rate", "flock", w)), "",
      "bare mkdir " two(ratio("C.rate", "mkdir", w, "C.rate", "flock", w)))
    row("C", w " workers: rate to that of bare mkdir", two(ratio("C.rate", "ours", w, "C.rate", "mkdir", w)),
      w == 32 ? "5 or more" : "", "ours " int(median("C.rate", "ours", w)) " a second")
    row("C", w " workers: last worker to the first", two(median("C.last", "ours", w)),
      w == 32 ? "2 or less" : "", "flock " two(median("C.last", "flock", w)) bare(w, median("C.last", "mkdir", w)))
  }
  if (i > 1) row("C", "increments lost; workers not done after 8 s", lost "; " cut, "0; 0", "")
}
function bare(w, number) { return number == "" ? "" : ", bare mkdir " two(number) }

function hand_over() {
  row("D", "from the release to a waiter, to flock's", two(ratio("D", "ours", 1, "D", "flock", 1)), "2 or less",
    "bare mkdir " two(ratio("D", "mkdir", 1, "D", "flock", 1)) "; ours " ms("D", "ours", 1) ", flock " ms("D", "flock", 1))
  row("E", "from the kill -9 of the holder to a waiter, to flock's", two(ratio("E", "ours", 1, "E", "flock", 1)),
    "60 ms", "ours " ms("E", "ours", 1) ", flock " ms("E", "flock", 1) ", bare mkdir never")
  if (("G", "ours", 1) in rounds)
    row("G", "a waiter's CPU, over 5 s", sprintf("%.2f %%", median("G", "ours", 1)), "0.5 % or less",
      sprintf("flock %.2f %%, bare mkdir %.2f %%", median("G", "flock", 1), median("G", "mkdir", 1)))
}

function probe(   bulk, small, large) {
  row("P", "a start of procid to that of a C program that does nothing",
    two(ratio("P", "procid", 1, "P", "nothing", 1)), "1.5 or less", "procid " ms("P", "procid", 1))
  row("P", "the same to true", two(ratio("P", "procid", 1, "P", "true", 1)), "", "true " ms("P", "true", 1))
  bulk = median("P.bulk", "procid", 10000)
  if (bulk != "")
    row("P", "10,000 questions in one start, in starts", two(bulk / median("P", "procid", 1)), "0.2 s",
      ms("P.bulk", "procid", 10000))
  small = x_of["P.doctor", "ours", 1]; large = x_of["P.doctor", "ours", 2]
  if (large == "") return
  row("P", "doctor over " large " locks, to " small, two(ratio("P.doctor", "ours", large, "P.doctor", "ours", small)),
    "3 s for 10,000", ms("P.doctor", "ours", large))
  row("P", "its starts of procid, to look at all", median("P.doctor.asked", "ours", large), "1",
    "over " small " locks: " median("P.doctor.asked", "ours", small))
  row("P", "its starts of procid over 50 stale locks", median("P.stale.asked", "ours", 50), "1", ms("P.stale", "ours", 50))
  row("P", "its memory, to that for " small " locks", two(ratio("P.doctor.memory", "ours", large, "P.doctor.memory", "ours", small)),
    "1", int(median("P.doctor.memory", "ours", large) / 1024) " MiB")
}
