# numbers.awk: reads lines MEASURE KIND X ROUND VALUE; what the table and the curves take from them.
{
  if (!(($1, $2, $3) in rounds)) x_of[$1, $2, ++count[$1, $2]] = $3
  if ($4 > rounds[$1, $2, $3]) rounds[$1, $2, $3] = $4
  value[$1, $2, $3, $4] = $5
}

function middle(list, n,   i, j, one) {
  if (!n) return ""
  for (i = 2; i <= n; i++) {
    one = list[i]
    for (j = i - 1; j && list[j] > one; j--) list[j + 1] = list[j]
    list[j + 1] = one
  }
  return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
}

# The median over all rounds.
function median(measure, kind, x,   list, n, r) {
  for (r = 1; r <= rounds[measure, kind, x]; r++)
    if ((measure, kind, x, r) in value) list[++n] = value[measure, kind, x, r] + 0
  return middle(list, n)
}

# The median of what one is to the other in the same round.
function ratio(measure1, kind1, x1, measure2, kind2, x2,   list, n, r) {
  for (r = 1; r <= rounds[measure1, kind1, x1]; r++)
    if ((measure1, kind1, x1, r) in value && value[measure2, kind2, x2, r] + 0 > 0)
      list[++n] = value[measure1, kind1, x1, r] / value[measure2, kind2, x2, r]
  return middle(list, n)
}

function total(measure, kind, x,   sum, r) {
  for (r = 1; r <= rounds[measure, kind, x]; r++) sum += value[measure, kind, x, r]
  return sum
}
