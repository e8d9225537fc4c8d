# curves.awk, with numbers.awk: the curves of BENCH.md as one SVG file, for light and dark.
END {
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 970\" width=\"920\" height=\"970\" role=\"img\">"
  print "<title>How the cost grows</title>"
  style()
  print "<rect class=\"ground\" width=\"920\" height=\"970\"/>"

  panel(0, 0, "Rate by workers on one lock", "of our own rate with one worker", "workers")
  curve("C.rate", "ours", 1, "ours", "C.rate", "ours")
  curve("C.rate", "flock", 2, "flock", "C.rate", "ours")
  curve("C.rate", "mkdir", 3, "bare mkdir", "C.rate", "ours")
  draw()

  panel(1, 0, "The longest wait by workers", "of the median wait in the same run", "workers")
  curve("C.spread", "ours", 1, "ours")
  curve("C.spread", "flock", 2, "flock")
  curve("C.spread", "mkdir", 3, "bare mkdir")
  draw()

  panel(0, 1, "Locks in the same directory", "of the time with one lock", "locks")
  curve("L", "ours", 1, "a cycle", "L", "ours")
  curve("L.first", "ours", 4, "the first cycle", "L.first", "ours")
  curve("L.wake", "ours", 2, "hand-off", "L.wake", "ours")
  curve("L", "mkdir", 3, "bare mkdir", "L", "mkdir")
  draw()

  panel(1, 1, "Depth of the lock's path", "of the time with one folder", "folders")
  curve("H", "ours", 1, "a cycle", "H", "ours")
  curve("H.first", "ours", 4, "the first cycle", "H.first", "ours")
  curve("H", "mkdir", 3, "bare mkdir", "H", "mkdir")
  draw()

  panel(0, 2, "Size of the entry", "of the time with the smallest", "bytes")
  curve("S", "ours", 1, "a cycle, own entry", "S", "ours")
  curve("S.read", "ours", 2, "a try, holder's entry", "S.read", "ours")
  draw()
  print "</svg>"
}

function style() {
  print "<style>"
  print "svg { --ground: #fcfcfb; --ink: #0b0b0b; --soft: #52514e; --grid: #e1e0d9;"
  print "  --k1: #2a78d6; --k2: #1baf7a; --k3: #eb6834; --k4: #4a3aa7; font: 12px system-ui, sans-serif }"
  print "@media (prefers-color-scheme: dark) { svg { --ground: #1a1a19; --ink: #fff; --soft: #c3c2b7;"
  print "  --grid: #2c2c2a; --k1: #3987e5; --k2: #199e70; --k3: #d95926; --k4: #9085e9 } }"
  print ".ground { fill: var(--ground) } text { fill: var(--soft) } .head { fill: var(--ink); font-weight: 600;"
  print "  font-size: 14px } .grid { stroke: var(--grid) } .curve { fill: none; stroke-width: 2 } .end { text-anchor: end }"
  print ".mid { text-anchor: middle }"
  for (k = 1; k <= 4; k++)
    print ".k" k " { stroke: var(--k" k ") } circle.k" k " { fill: var(--k" k "); stroke: var(--ground) }"
  print "</style>"
}

# A panel, then its curves; draw() then knows how high they go.
function panel(column, line, title, unit, axis) {
  left = 60 + column * 450; top = 88 + line * 320; wide = 360; high = 180
  panel_title = title; panel_unit = unit; panel_axis = axis
  curves = 0; x_least = 1e9; x_most = 0; y_least = 1e9; y_most = 0
  split("", xs)
}
# Relative to the first point of MEASURE2 KIND2 where that is given.
function curve(measure, kind, colour, name, measure2, kind2,   i, x, y) {
  if (!count[measure, kind]) return
  curves++
  colours[curves] = colour; names[curves] = name; points[curves] = 0
  for (i = 1; i <= count[measure, kind]; i++) {
    x = x_of[measure, kind, i]
    y = measure2 ? ratio(measure, kind, x, measure2, kind2, x_of[measure2, kind2, 1]) : median(measure, kind, x)
    if (y == "" || y <= 0) continue
    px[curves, ++points[curves]] = x; py[curves, points[curves]] = y
    xs[x] = 1
    if (x < x_least) x_least = x
    if (x > x_most) x_most = x
    if (y < y_least) y_least = y
    if (y > y_most) y_most = y
  }
}
# Linear from 0 where all is of one size, else logarithmic.
function draw(   c, i, x, path, step, tick) {
  text("head", left - 40, top - 52, panel_title)
  text("", left - 40, top - 34, panel_unit)
  if (!curves || x_least == x_most) { text("", left, top + 20, "not run"); return }
  logarithmic = y_most / y_least > 12
  if (logarithmic) for (y_low = 1; y_low > y_least; y_low /= 10) continue
  if (logarithmic) for (y_high = 10; y_high < y_most; y_high *= 10) continue
  if (logarithmic) for (tick = y_low; tick <= y_high * 1.01; tick *= 10) y_tick(tick)
  else {
    step = y_most <= 1.25 ? 0.25 : y_most <= 2.5 ? 0.5 : y_most <= 5 ? 1 : y_most <= 10 ? 2 : 5
    for (y_high = step; y_high < y_most; y_high += step) continue
    for (tick = 0; tick <= y_high * 1.01; tick += step) y_tick(tick)
  }
  for (x in xs) text("mid", at_x(x), top + high + 18, grouped(x))
  text("mid", left + wide / 2, top + high + 36, panel_axis)
  tick = left - 40
  for (c = 1; c <= curves; c++) {
    path = ""
    for (i = 1; i <= points[c]; i++)
      path = path (i > 1 ? " L" : "M") sprintf("%.1f %.1f", at_x(px[c, i]), at_y(py[c, i]))
    print "<path class=\"curve k" colours[c] "\" d=\"" path "\"/>"
    for (i = 1; i <= points[c]; i++)
      printf "<circle class=\"k%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s, %s %s: %.3g</title></circle>\n", \
        colours[c], at_x(px[c, i]), at_y(py[c, i]), names[c], grouped(px[c, i]), panel_axis, py[c, i]
    print "<path class=\"curve k" colours[c] "\" d=\"M" tick " " top - 19 "h14\"/>"
    text("", tick + 19, top - 15, names[c])
    tick += 34 + 6.2 * length(names[c])
  }
}
function y_tick(y) {
  print "<path class=\"grid\" d=\"M" left " " at_y(y) "h" wide "\"/>"
  text("end", left - 8, at_y(y) + 4, grouped(y))
}
function at_x(x) { return left + 8 + (wide - 16) * log(x / x_least) / log(x_most / x_least) }
function at_y(y) {
  return top + high - high * (logarithmic ? log(y / y_low) / log(y_high / y_low) : y / y_high)
}
function text(class, x, y, words) {
  printf "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", class, x, y, words
}
function grouped(n) { return n + 0 >= 1000 ? int(n / 1000) "," sprintf("%03d", n % 1000) : n "" }
