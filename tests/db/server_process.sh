# shellcheck shell=bash
# server_process.sh - the processes of a server: start, signal, wait, guard.
# Part of servers.sh, which sets $kind $dir $base $port $user $pid $owner.
# shellcheck disable=SC2154

# Is there a process, and is it more than an entry that nobody has reaped?
alive() {
  [[ -n $1 ]] || return 1
  local state
  state=$(ps -o stat= -p "$1" 2>/dev/null) || return 1
  [[ $state != Z* ]]
}

# The server and its children, also those whose parent has died: a server
# begins inside its folder and never leaves it.
server_pids() {
  {
    ps -e -o pid=,ppid=,stat= | awk -v root="${pid:-0}" '
      { parent[$1] = $2; zombie[$1] = $3 ~ /^Z/ }
      END {
        for (p in parent) {
          for (q = p; q > 1 && q != root; q = parent[q]) { }
          if (q == root && root > 0 && !zombie[p]) print p
        }
      }'
    if [[ -d /proc/self ]]; then
      find /proc -maxdepth 2 -path '/proc/[0-9]*/cwd' \
        \( -lname "$base/data" -o -lname "$base/data/*" -o \
           -lname "$base/data (deleted)" \) -printf '%h\n' 2>/dev/null |
        sed 's|/proc/||' || true
    fi
  } | sort -nu
}

# Repeats until no process is left out: a parent may fork in the middle of it.
signal_tree() {
  local before=none now
  now=$(server_pids)
  while [[ $now != "$before" ]]; do
    before=$now
    # shellcheck disable=SC2086
    [[ -z $now ]] || kill -s "$1" $now 2>/dev/null || true
    now=$(server_pids)
  done
}

wait_gone() {
  local deadline=$((SECONDS + $1))
  while [[ -n $(server_pids) ]]; do
    ((SECONDS < deadline)) || return 1
    sleep 0.02
  done
}

kill_server() {
  signal_tree STOP
  signal_tree KILL
  wait_gone 30 || die "the server's processes do not die"
  "${kind}_after_kill"
  rm -f "$dir/pid"
  pid=''
}

end_server() {
  if alive "$pid"; then
    signal_tree CONT
    kill -s "$("${kind}_end_signal")" "$pid" 2>/dev/null || true
    wait_gone 30 || true
  fi
  kill_server
}

# Everything goes: processes, guard, files.  Safe to call at any point.
destroy() {
  local guard
  guard=$(cat "$dir/guard" 2>/dev/null || true)
  pid=$(cat "$dir/pid" 2>/dev/null || true)
  kill_server
  give_port
  rm -rf "$base"
  rm -f "$dir/state" "$dir/pid" "$dir/guard"
  rmdir "$dir" 2>/dev/null || true # the caller may keep files of its own there
  if [[ -n $guard && $guard != "$$" ]] && alive "$guard"; then
    kill "$guard" 2>/dev/null || true
    while alive "$guard"; do sleep 0.01; done
  fi
}

# In a subshell that is about to exec: a descriptor that a server inherits would
# keep the caller's pipes open, and bats waits for them.
close_inherited() {
  local n
  for ((n = 3; n < 64; n++)); do
    eval "exec $n>&-"
  done
}

new_session=()
if command -v setsid >/dev/null; then
  new_session=(setsid) # Ctrl-C ends the tests, and the tests end the server
fi

launch() {
  local -a cmd
  "${kind}_command"
  (
    cd "$base/data" || exit
    close_inherited
    exec "${new_session[@]}" "${as_server[@]}" "${cmd[@]}" \
      </dev/null >>"$base/log" 2>&1
  ) &
  pid=$!
  printf '%s\n' "$pid" >"$dir/pid"
}

wait_ready() {
  local deadline=$((SECONDS + 60))
  until "${kind}_ready"; do
    alive "$pid" || return 1
    ((SECONDS < deadline)) || return 1
    sleep 0.03
  done
}

show_log() {
  printf 'servers.sh: the end of the log of %s:\n' "$kind" >&2
  tail -n 15 "$base/log" >&2 || true
}

# take_port N: for this server alone as long as its folder exists, also while it
# is down; links of folders that are gone count for nothing.
take_port() {
  local link=${base%/*}/bench-db-port.$1
  [[ -L $link && ! -e $link ]] && rm -f "$link" 2>/dev/null
  ln -s "$base" "$link" 2>/dev/null
}

give_port() {
  local link=${base%/*}/bench-db-port.$port
  [[ $(readlink "$link" 2>/dev/null) != "$base" ]] || rm -f "$link"
}

# Below the range from which the system takes the client's side of connections:
# while the server is down nobody else gets its port by chance.
start_on_free_port() {
  local try
  for ((try = 0; try < 50; try++)); do
    port=$((20000 + (RANDOM * 3 + $$) % 12000))
    take_port "$port" || continue
    save_state
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      give_port
      continue
    fi
    : >"$base/log"
    launch
    if wait_ready; then
      return 0
    fi
    if ! grep -qiE 'address already in use' "$base/log"; then
      show_log
      die "the $kind server did not start"
    fi
    kill_server
    give_port
  done
  die "no free port found"
}

# The caller proper: a subshell of it, as in $(servers.sh ...), has the same
# command line as its parent and ends too early.
find_owner() {
  local p=$PPID parent
  while parent=$(ps -o ppid= -p "$p") && parent=${parent// /} &&
    ((parent > 1)) &&
    [[ $(ps -o args= -p "$p") == "$(ps -o args= -p "$parent")" ]]; do
    p=$parent
  done
  printf '%s\n' "$p"
}

start_guard() {
  [[ -n $owner ]] || owner=$(find_owner)
  (
    cd / || exit
    close_inherited
    exec "${new_session[@]}" bash "$here/servers.sh" guard "$dir" "$owner" "$$" \
      </dev/null >/dev/null 2>&1
  ) &
  printf '%s\n' "$!" >"$dir/guard"
}

# Waits for the owner's end; a `start` that is still at work ends first.
guard_main() {
  dir=$1 owner=$2
  local starter=$3
  while alive "$owner"; do sleep 0.5; done
  if alive "$starter" && [[ $(ps -o args= -p "$starter") == *servers.sh* ]]; then
    kill "$starter" 2>/dev/null || true
    while alive "$starter"; do sleep 0.05; done
  fi
  [[ -f $dir/state ]] || exit 0
  load_state
  printf '%s\n' "$$" >"$dir/guard"
  destroy
}
