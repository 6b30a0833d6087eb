#!/usr/bin/env bats
# --mark and the tool mark: what somebody does to a server is on the time axis of
# all outputs.
load helper

# The fifo of a process is in the folder of the test.
marked() {
  export XDG_RUNTIME_DIR=$PWD
  serve_at --prometheus cpu --time=600 --mark "$@"
}

over() {
  kill -INT $pid
  wait $pid || must is "$?" 130
}

@test "marks: one that a tool and one that a shell writes are in all outputs" {
  local port pid
  marked --report-interval=1 --json=r.json --csv=r.csv --stream=s.json
  must [ -p bench-$pid.mark ]
  must has "$(cat text)" "^Marks are taken from $PWD/bench-$pid.mark, or by bench mark $pid TEXT\$"
  must "$BENCH" mark $pid killed the '"primary",' now
  until has "$(cat text)" '^\[ -?[0-9]+\.[0-9]{3}s \] mark: killed the "primary", now$'; do
    kill -0 $pid
    sleep 0.05
  done
  echo 'it is back' >bench-$pid.mark
  until python3 -c 'import sys, urllib.request
text = urllib.request.urlopen("http://127.0.0.1:%s/metrics" % sys.argv[1], timeout=50).read().decode()
sys.exit(not ("# TYPE bench_marks_total counter\n" in text and "\nbench_marks_total 2\n" in text))' "$port"; do
    kill -0 $pid
    sleep 0.05
  done
  over
  must [ ! -e bench-$pid.mark ]
  must check r.json '[m["text"] for m in d["marks"]] == ["killed the \"primary\", now", "it is back"]' \
    '0 <= d["marks"][0]["at_s"] <= d["marks"][1]["at_s"] <= d["intervals"][-1]["elapsed_s"]' \
    'd["marks_lost"] == 0' \
    '[m for i in d["intervals"] for m in i.get("marks", ())] == d["marks"]' \
    'all(i["elapsed_s"] - i["period_s"] - 0.5 <= m["at_s"] <= i["elapsed_s"] + 0.5
       for i in d["intervals"] for m in i.get("marks", ()))'
  must has "$(cat text)" '^Marks:$'
  must has "$(cat text)" '^    at [0-9]+\.[0-9]{3} s: it is back$'
  python3 - <<'PY'
import csv, json
marks = json.load(open("r.json"))["marks"]
said = ["%.3f %s" % (m["at_s"], m["text"]) for m in marks]
with open("r.csv") as f:
    rows = list(csv.DictReader(f))
assert list(rows[0])[-1] == "marks"
assert "; ".join(r["marks"] for r in rows if r["marks"]) == "; ".join(said), rows
assert [m for line in open("s.json") for m in json.loads(line).get("marks", ())] == marks
PY
  bench report r.json --format=text
  must has "$output" '^ *[0-9]+\.[0-9]{3} +killed the "primary", now *$'
  bench report r.json -o r.html
  must has "$(cat r.html)" '<td>it is back</td>'
}

@test "marks: without --mark no output has a word about them" {
  bench -0 cpu --events=10 --time=0 --json=r.json --csv=r.csv run
  must check r.json '"marks" not in d'
  ! has "$output$(cat r.csv)" '[Mm]arks'
}

@test "marks: what is no text becomes one, and only so much of it is kept" {
  local port pid
  marked --json=r.json
  python3 - bench-$pid.mark <<'PY'
import sys
with open(sys.argv[1], "wb", buffering=0) as f:
    for line in (b"\x1b[31mred\x07", b"  \t ", b"", b"bad \xff\x9b", "\u20ac".encode() * 3000, b"x" * 9000):
        f.write(line + b"\n")
    for i in range(1000):
        f.write(b"%d\n" % i)
    f.write(b"no end of a line")
PY
  over
  must check r.json 'len(d["marks"]) == 1000 and d["marks_lost"] == 5' \
    'd["marks"][0]["text"] == "\\x1b[31mred\\x07"' \
    'd["marks"][1]["text"] == "bad \u00ff\\x9b"' \
    'd["marks"][2]["text"] == "\u20ac" * 85' \
    'd["marks"][3]["text"] == "x" * 255 and d["marks"][4]["text"] == "0"'
  must has "$(cat text)" '^    and 5 more, which were not kept$'
}

@test "marks: the last line needs no end, and a text has its moment" {
  local port pid
  marked --warmup-time=600 --json=r.json
  printf 'in the warm-up' >bench-$pid.mark
  over
  must json r.json '[m["text"] for m in d["marks"]] == ["in the warm-up"] and d["marks"][0]["at_s"] < 0'
}

@test "marks: a fifo that is there stays, and anything else is refused" {
  local port pid
  mkfifo mine
  serve_at --prometheus cpu --time=600 --mark=mine --json=r.json
  must has "$(cat text)" '^Marks are taken from mine, or by bench mark mine TEXT$'
  must "$BENCH" mark mine by name
  over
  must [ -p mine ]
  must json r.json '[m["text"] for m in d["marks"]] == ["by name"]'
  echo precious >file
  bench -1 cpu --events=1 --time=0 --mark=file run
  must is "$stderr" "FATAL: Invalid value for --mark: 'file' (expected a fifo, or a name that is free)"
  must is "$(cat file)" precious
  bench -1 cpu --events=1 --time=0 --mark=no/fifo run
  must is "$stderr" "FATAL: cannot make the fifo 'no/fifo' of --mark, errno = 2 (No such file or directory)"
}

# made_by SHELL: a run in place of this shell, which has the same number.
made_by() {
  mkdir -p run tmp
  XDG_RUNTIME_DIR=$PWD/run TMPDIR=$PWD/tmp bash -c "$1"'
    echo "number $$"
    exec "$BENCH" cpu --events=1 --time=0 --mark run' >text
  number=$(sed -n 's/^number //p' text)
}

@test "marks: a fifo of the same number is taken away if nobody reads it" {
  local number
  made_by 'mkfifo run/bench-$$.mark'
  must has "$(cat text)" "^Marks are taken from $PWD/run/bench-$number.mark, "
  must [ ! -e run/bench-$number.mark ]
  made_by 'mkfifo run/bench-$$.mark; exec 9<>run/bench-$$.mark'
  must has "$(cat text)" "^Marks are taken from $PWD/tmp/bench-$number.mark, "
  must [ -p run/bench-$number.mark ]
  must [ ! -e tmp/bench-$number.mark ]
}

@test "marks: what has taken the name of the fifo stays" {
  local port pid
  marked
  mv bench-$pid.mark away
  echo precious >bench-$pid.mark
  over
  must is "$(cat bench-$pid.mark)" precious
  rm bench-$pid.mark
}

# refused MESSAGE ARG...
refused() {
  local message=$1
  shift
  bench -1 mark "$@"
  must is "$stderr" "FATAL: $message"
  must is "$output" ""
}

@test "marks: what the tool refuses" {
  export XDG_RUNTIME_DIR=$PWD
  refused 'a mark needs a text'
  refused 'a mark needs a text' $$
  refused 'a mark needs a text' $$ '' ' '
  refused "the text of a mark has at most 255 bytes, not 256" $$ "$(printf '%0256d' 0)"
  refused 'there is no process 4999999' 4999999 x
  refused 'there is no process 99999999999999999999' 99999999999999999999 x
  refused "process $$ takes no marks (expected a run with --mark; for one with --mark=FIFO, name the fifo)" $$ x
  refused "cannot open the fifo './none', errno = 2 (No such file or directory)" ./none x
  echo precious >file
  refused "'file' is not a fifo" file x
  must is "$(cat file)" precious
  # One that a killed run has left: nobody reads it.
  mkfifo left bench-$$.mark
  refused "no run takes marks from 'left'" left x
  refused "process $$ takes no marks (expected a run with --mark; for one with --mark=FIFO, name the fifo)" $$ x
}

@test "marks: without a process, the mark goes to the only run" {
  local port pid first
  ! compgen -G '/tmp/bench-*.mark' >/dev/null || skip "a run takes marks in /tmp"
  export XDG_RUNTIME_DIR=$PWD TMPDIR=$PWD
  mkfifo bench-4999999.mark # of a run that was killed
  refused 'no run of this user takes marks: start one with --mark, or name its process or fifo before the text' now
  marked --json=r.json
  must "$BENCH" mark killed the primary
  touch vacuumed
  must "$BENCH" mark vacuumed
  must "$BENCH" mark 'pool 4/8'
  first=$pid
  marked
  bench -1 mark x
  must has "$stderr" "^FATAL: 2 runs take marks: name the process of one before the text \\(($first, $pid|$pid, $first)\\)\$"
  over
  pid=$first
  over
  must json r.json '[m["text"] for m in d["marks"]] == ["killed the primary", "vacuumed", "pool 4/8"]'
}
