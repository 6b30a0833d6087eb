# The results that bench keeps of the last runs.
load helper

keep() {
  unset BENCH_KEEP DISPLAY WAYLAND_DISPLAY BROWSER
  export XDG_STATE_HOME=$PWD/state
  folder=$XDG_STATE_HOME/bench
}

# a_run: keeps one result.
a_run() {
  bench -0 cpu --cpu-max-prime=1000 --time=1 run
}

# on_terminal ARG...: the output of the program on a terminal.
on_terminal() {
  python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))' "$BENCH" "$@" | tr -d '\r'
}

@test "a run of one second is kept for its user alone, and report shows the last" {
  keep
  a_run
  must is "$(stat -c %a "$folder" "$folder"/*)" "$(printf '700\n600')"
  check "$folder"/*.json "d['run']['test'] == 'cpu'" "len(d['intervals']) > 0" \
    "d['totals']['events'] > 0"
  bench -0 cpu --events=1 run
  BENCH_KEEP=off bench -0 cpu --cpu-max-prime=1000 --time=1 run
  ln -sf "$BENCH" sysbench
  ./sysbench cpu --cpu-max-prime=1000 --time=1 run >out
  must is "$(find "$folder" -type f | wc -l)" 1

  mkfifo "$folder/20990101-000000-000-1.json"
  bench -0 report --list
  rm "$folder/20990101-000000-000-1.json"
  must has "$output" '^ +1  20[0-9]{2}-[0-9-]+ [0-9:]+  cpu +1 +1 '
  bench -0 report --format=text
  must has "$output" '^bench report: cpu$'
  bench -0 report
  must has "$output" '^<!DOCTYPE html>'
  bench -2 report 2
  must has "$stderr" "^FATAL: cannot read '2'"
  bench -2 report -o page.html 1 2
  [ ! -e page.html ]
  for file in '' 1; do
    bench -2 report $file -o "$folder"/*.json
    must has "$stderr" "^FATAL: the report would replace the result '1' "
  done

  # On a terminal: text and the place of the page, or a browser.
  seen=$(on_terminal report)
  must has "$seen" '^bench report: cpu$'
  must has "$seen" "^The page is $folder/report.html$"
  must lacks "$seen" '<html'
  must is "$(stat -c %a "$folder/report.html")" 600
  printf '#!/bin/sh\nprintf "%%s\\n" "$1" >"%s"\n' "$PWD/shown" >browser
  chmod +x browser
  mkfifo shown
  seen=$(DISPLAY=:9 BROWSER=$PWD/browser:other on_terminal report "$folder"/*.json)
  must is "$seen" "The page is $folder/report.html"
  read -rt 20 page <shown
  must is "$page" "$folder/report.html"
  seen=$(on_terminal report --format=html 1 || :)
  must has "$seen" '^FATAL: an HTML page is not for a terminal'
}

@test "sweeps and searches are kept; their steps are not" {
  keep
  bench -0 cpu --cpu-max-prime=1000 --time=1 --sweep=threads:1,2 run
  bench cpu --cpu-max-prime=1000 --time=1 --find=rate --slo='p99<=10s' --json=found.json run
  bench -0 cpu --events=1 --sweep=threads:1,2 run
  must is "$(find "$folder" -type f | wc -l)" 2
  cmp found.json "$(find "$folder" -type f | sort | tail -n 1)"
  bench -0 report --list
  must has "$output" '^ +1  20[0-9]{2}-[0-9-]+ [0-9:]+  search of cpu'
  must has "$output" '^ +2  20[0-9]{2}-[0-9-]+ [0-9:]+  sweep of cpu'
  bench -0 report --format=text 2
  must has "$output" '^bench report: cpu$'
  must has "$output" '^threads=2 '
  bench -0 report -o page.html
  grep -q '"search"' page.html
}

@test "the oldest results make room, even if several runs end at once; other files stay" {
  local i runs=()
  keep
  mkdir -p "$folder"
  for i in {10..59}; do echo "$i" >"$folder/202001$((i % 20 + 10))-0000$i-000-1.json"; done
  touch "$folder/notes.json" "$folder/20190101-000000-000-1.json.bak"
  touch "$folder/20190101-000000-000-1.part"
  oldest=$(find "$folder" -name '2020*' | sort | head -n 3)
  for i in 1 2 3; do
    "$BENCH" cpu --cpu-max-prime=1000 --time=1 run >"out$i" &
    runs+=($!)
  done
  wait "${runs[@]}"
  must is "$(find "$folder" -name '20*.json' | wc -l)" 50
  must is "$(find "$folder" -name '20*.json' -size +1k | wc -l)" 3
  for i in $oldest; do [ ! -e "$i" ]; done
  [ ! -e "$folder/20190101-000000-000-1.part" ]
  [ -e "$folder/notes.json" ] && [ -e "$folder/20190101-000000-000-1.json.bak" ]
  bench -0 report --list
  must is "$(grep -c ' cpu ' <<<"$output")" 3
  bench compare 2 1
  must has "$output" '^base  2: cpu'
}

@test "a folder that takes no results is named by doctor alone" {
  keep
  touch state
  bench_as_it_is -0 cpu --cpu-max-prime=1000 --time=1 run
  must lacks "$stderr" state
  bench doctor
  must has "$output" "^warn  results .* cannot be kept in '$folder': Not a directory; name a folder"
  rm state
  bench doctor
  must has "$output" "^ok    results .* the last 50 are kept in '$folder'$"
  [ ! -e state ]
}
