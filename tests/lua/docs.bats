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
    must is "$(grep -Ev '^WARNING: error ' <<<"$stderr")" "" || return 1
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
