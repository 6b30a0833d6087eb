# docs.bats - the examples of the manuals run as they stand, and the manuals
# have what they claim to have.
load ../cli/helper

# blocks FILE: each ```lua block becomes N.lua, with its first line in N.args
# and its place in N.line.
blocks() {
  awk '
    /^```lua/ { n++; file = n ".lua"; sub(/^```lua */, ""); print > (n ".args")
                print NR > (n ".line"); inside = 1; printf "" > file; next }
    /^```/ { inside = 0 }
    inside { print > file }' "$1"
}

# runs N: whether it does; a script by the words behind its ```lua: a driver (else null), the
# commands (else run), options.  What stands behind --> is printed.
runs() {
  local words word driver=null commands=() options=(--threads=2 --events=20 --time=20) said=
  read -ra words <"$1.args"
  for word in "${words[@]}"; do
    case $word in
    --*) options+=("$word") ;;
    sqlite) driver=sqlite ;;
    *) commands+=("$word") ;;
    esac
  done
  ((${#commands[@]})) || commands=(run)
  [ $driver = null ] || options+=("--sqlite-db=$1.db" --sqlite-synchronous=off)
  for word in "${commands[@]}"; do
    bench "./$1.lua" --db-driver=$driver "${options[@]}" "$word"
    must [ "$status" = 0 ] || return 1
    must is "$(grep -Ev '^(WARNING: (error|event\(\)|writes were faster) |Loaded [0-9]+ rows in )' <<<"$stderr")" "" || return 1
    said+=$output$'\n'
  done
  output=$said
  while IFS= read -r word; do
    must grep -qF -- "$word" <<<"$said" || return 1
  done < <(sed -nE 's/^.*--> //p' "$1.lua")
}

@test "docs/scripting.md" {
  needs_driver sqlite
  blocks "$BENCH_SRC/docs/scripting.md"
  n=0
  while [ -e $((n + 1)).lua ]; do
    n=$((n + 1))
    runs $n || {
      echo "docs/scripting.md, line $(cat $n.line)" >&2
      return 1
    }
  done
  must [ "$n" -ge 20 ]
}

# What the library of 1.0 has for itself, and for scripts that look into it.
not_for_scripts() {
  grep -qxE 'sysbench\.(cmdline\.(ARG_MAX|ARG_NULL|(call|read|print|command)_.*)|db\..*|error\.NONE|sql\.error\..*|sql\.type\.(NONE|DATE|TIME|DATETIME|TIMESTAMP))|check_error' <<<"$1"
}

@test "docs/scripting.md: everything that scripts see" {
  cat >keys.lua <<'L'
local function walk(t, name)
  for k, v in pairs(t) do
    print("=" .. name .. "." .. k)
    if type(v) == "table" and name ~= "sysbench.opt" then walk(v, name .. "." .. k) end
  end
end
walk(sysbench, "sysbench")
L
  bench -0 ./keys.lua
  n=0
  while read -r name; do
    not_for_scripts "$name" ||
      must grep -qwF -- "${name##*.}" "$BENCH_SRC/docs/scripting.md"
    n=$((n + 1))
  done < <(
    sed -n 's/^=//p' <<<"$output"
    sed -nE 's/^function [a-z_.]+:([a-z_]+)\(.*/\1/p' \
      "$BENCH_SRC"/src/lua/internal/{sql,sql_stmt,sql_copy,counter,histogram}.lua
  )
  must [ "$n" -ge 100 ]
}

@test "docs/workloads.md: every built-in test" {
  bench list
  n=0
  while read -r name; do
    must grep -q "^| \`$name\` |" "$BENCH_SRC/docs/workloads.md"
    n=$((n + 1))
  done < <(sed -nE '/^Tests:/,/^$/s/^  ([a-z]+) .*/\1/p' <<<"$output")
  must [ "$n" -ge 5 ]
}

@test "README.md: every driver" {
  bench --db-driver=help
  while read -r name; do
    must grep -q "^| \`$name\`" "$BENCH_SRC/README.md"
  done < <(sed -nE 's/^  ([a-z]+) - .*/\1/p' <<<"$output")
}

@test "docs/workloads.md: the example" {
  needs_driver sqlite
  blocks "$BENCH_SRC/docs/workloads.md"
  runs 1
}

@test "docs/workloads.md: every script, every option with its default" {
  text=$(cat "$BENCH_SRC/docs/workloads.md")
  bench -0 --help=json
  printf %s "$output" >help.json
  for script in "$BENCH_SRC"/src/lua/scripts/{,oltp_legacy/}[!b]*.lua; do
    name=${script##*/}
    must grep -qF "\`${name%.lua}\`" <<<"${text//oltp_common.lua/\`oltp_common\`}"
  done
  for script in oltp_read_write select_random_points select_random_ranges tpcb ycsb ack counter queue bank ingest json replica secondary append register long_fork; do
    options=$(python3 -c 'import json, sys
for o in json.load(sys.stdin):
    if sys.argv[1] in o["tests"] and o["group"] == "Workloads":
        print(o["name"], o["default"] or "")' "$script" <help.json)
    must [ "$(wc -l <<<"$options")" -ge 5 ]
    while read -r option default; do
      row=$(grep "^| \`--" <<<"$text" | grep -F -- "\`--$option\`")
      must [ -n "$row" ]
      must grep -qE -- "[|,] ${default}( each)?[ ,|]" <<<"$row" || {
        echo "--$option: $default" >&2
        return 1
      }
    done <<<"$options"
  done
}

@test "docs/workloads.md: statements per event" {
  n=0
  while read -r script reads writes others; do
    bench "$script" --db-driver=null --events=10 run
    must is "$script $(number 'read:') $(number 'write:') $(number 'other:')" \
      "$script $((10 * reads)) $((10 * writes)) $((10 * others))"
    n=$((n + 1))
  done < <(sed -nE 's/^\| `(\w+)` \| .* \| ([0-9]+) \+ ([0-9]+) \+ ([0-9]+)\b.*\|$/\1 \2 \3 \4/p' \
    "$BENCH_SRC/docs/workloads.md")
  must is "$n" 15
}
