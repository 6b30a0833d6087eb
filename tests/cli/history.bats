#!/usr/bin/env bats
# history.bats - `bench verify` on histories: verdicts, exit statuses, and the
# forms for another checker.
load helper

# skew: two transactions that have each overwritten what the other has read.
skew() {
  cat <<'END'
bench history 1 lists
0 1000 9000 ok r:1= r:2= a:1=1
1 1000 9000 ok r:1= r:2= a:2=1
end 2
END
}

@test "history: write skew breaks serializable, which is expected by default" {
  skew >h.log
  bench -1 verify h.log
  must is "$stderr" ""
  must has "$output" "The shortest cycle of 2 transactions"
  must has "$output" "T1 -> T2 \(rw\): T1: read key 2: an empty list, before T2: append 1 to key 2"
  must is "${lines[-1]}" "Verdict: not serializable: G2-item"
}

@test "history: a snapshot allows write skew" {
  skew >h.log
  bench -0 verify --expect=snapshot h.log
  must has "$output" "snapshot allows that"
  must is "${lines[-1]}" "Verdict: nothing contradicts snapshot"
}

@test "history: a lost update in registers is none of a snapshot" {
  printf '%s\n' 'bench history 1 registers' '0 1 9 ok r:1= w:1=1' \
    '1 1 9 ok r:1= w:1=2' 'end 2' >h.log
  bench -1 verify h.log --expect=snapshot
  must is "${lines[-1]}" "Verdict: not snapshot: lost-update"
  bench -0 verify h.log --expect=read-committed
}

@test "history: nobody can tell from a history that is cut off" {
  printf '%s\n' 'bench history 1 lists' '0 1 2 ok r:1= a:1=1' >h.log
  bench -3 verify h.log
  must is "${lines[-1]}" "Verdict: cannot tell: the history is cut off"
}

@test "history: a file with an error is refused, with its line" {
  printf '%s\n' 'bench history 1 lists' '0 1 2 ok a:1' 'end 1' >h.log
  bench -2 verify h.log
  must is "$output" ""
  must is "$stderr" "FATAL: 'h.log' line 2: a write has no value"
}

@test "history: a list with the second append of a transaction and not the first" {
  for list in 2 2,1; do
    printf '%s\n' 'bench history 1 lists' '0 1 2 ok a:1=1 a:1=2' "1 3 4 ok r:1=$list" 'end 2' >h.log
    for level in read-committed repeatable-read snapshot serializable; do
      bench -1 verify --expect=$level h.log
      must has "${lines[-1]}" "^Verdict: not $level: .*incompatible-order"
    done
  done
  printf '%s\n' 'bench history 1 lists' '0 1 2 ok a:1=1 r:1=1 a:1=2' "1 3 4 ok r:1=1,2" 'end 2' >h.log
  bench -0 verify --expect=read-committed h.log
}

@test "history: two histories under one header are refused" {
  printf '%s\n' 'bench history 1 lists' '0 1 5 ok a:1=1' '1 1 9 ok a:2=1' '0 5 7 ok a:1=2' \
    '0 6 8 ok a:3=1' 'end 4' >h.log
  bench -2 verify h.log
  must is "$output" ""
  must is "$stderr" "FATAL: 'h.log' lines 4 and 5: transactions of process 0 overlap, so this is not the history of one run; verify each history alone"
  # One right after the other, and one that has no end.
  printf '%s\n' 'bench history 1 lists' '0 1 5 ok a:1=1' '0 5 - unknown a:1=2' '0 6 8 ok r:3= a:3=1' 'end 3' >h.log
  bench -0 verify h.log
}

@test "history: exports for Elle's checker" {
  skew >h.log
  bench -0 verify h.log --expect=snapshot --export-edn=h.edn --export-json=h.json
  must is "$(tail -n 1 h.edn)" '{:index 3, :type :ok, :process 1, :time 9000, :f :txn, :value [[:r 1 []] [:r 2 []] [:append 2 1]]}'
  must json h.json 'len(d) == 4 and d[3]["value"] == [["r", 1, []], ["r", 2, []], ["append", 2, 1]]'
}

@test "history: the EDN is what a reader of EDN understands, and what the JSON says" {
  python3 -c 'import edn_format' 2>/dev/null || skip "python3 has no edn_format"
  skew >h.log
  bench -0 verify h.log --expect=snapshot --export-edn=h.edn --export-json=h.json
  cat >same.py <<'PY'
import edn_format, json, sys
def plain(x):
    if isinstance(x, edn_format.Keyword):
        return x.name
    if isinstance(x, edn_format.immutable_dict.ImmutableDict):
        return {plain(k): plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple, edn_format.immutable_list.ImmutableList)):
        return [plain(i) for i in x]
    return x
edn = [plain(edn_format.loads(line)) for line in open(sys.argv[1])]
assert edn and edn == json.load(open(sys.argv[2])), (edn, sys.argv[2])
PY
  must python3 same.py h.edn h.json
  # The controls: another value, and a bracket that is missing.
  sed '$s/:append 2 1/:append 2 3/' h.edn >other.edn
  run -1 python3 same.py other.edn h.json
  sed '$s/]]}$/]}/' h.edn >cut.edn
  run -1 python3 same.py cut.edn h.json
}

@test "history: an export that cannot be written is an error" {
  skew >h.log
  bench -2 verify h.log --export-edn=no/h.edn
  must is "$stderr" "FATAL: cannot write to 'no/h.edn', errno = 2 (No such file or directory)"
  bench -2 verify h.log --export-json=/dev/full
  must is "$stderr" "FATAL: cannot write to '/dev/full', errno = 28 (No space left on device)"
}

@test "history: options of other files have no effect here" {
  skew >h.log
  bench -2 verify h.log --query=x
  must is "$stderr" "FATAL: --query has no effect: the file is a history of lists"
}
