# shellcheck shell=bash
# server_files.sh - the files of a server: data, certificates, their owner.
# Part of servers.sh.
# shellcheck disable=SC2154,SC2034

# A server refuses to run as root; then it runs as the user of its package.
choose_user() {
  local name
  user=$(id -un)
  [[ $(id -u) == 0 ]] || return 0
  for name in "$("${kind}_user")" nobody; do
    if id -u "$name" >/dev/null 2>&1; then
      user=$name
      return 0
    fi
  done
  die "there is no user to run the $kind server as"
}

# Before every command of the server: its user, and nothing of the environment
# of the caller (PGHOST, MYSQL_HOME, ... change what these programs do).
set_as_server() {
  as_server=()
  if [[ $user != "$(id -un)" ]]; then
    as_server=(setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups)
  fi
  as_server+=(env -i PATH="$PATH" HOME="$base" LC_ALL=C TZ=UTC)
}

give_to_server() {
  [[ $user == "$(id -un)" ]] || chown -R "$user:$(id -g "$user")" "$base"
  chmod 700 "$base"
  if [[ -d $base/tls ]]; then # the client's files stay with the client
    chown "$(id -u):$(id -g)" "$base"/tls/client-*
  fi
}

copy_tree() {
  cp -a --reflink=auto "$1" "$2" 2>/dev/null || {
    rm -rf "$2"
    cp -a "$1" "$2"
  }
}

# Initialising takes seconds: with a build folder the first server of a kind
# leaves a copy there.  Two that race both make one; the first one stays.
install_data() {
  local cache=${SERVERS_CACHE-${BENCH_BUILD:+$BENCH_BUILD/tests/db/templates}}
  local name key own old
  if [[ -z $cache ]]; then
    make_data
    return
  fi
  name=$cache/$kind-$user
  key=$(
    "${kind}_version"
    declare -f "${kind}_init"
    printf '%s\n' "${mysql_common[@]}"
  )
  key=$name-$(cksum <<<"$key" | tr ' ' -)
  if [[ -d $key ]]; then
    copy_tree "$key" "$base/data"
    return
  fi
  make_data
  own=$name.$$
  if mkdir -p "$cache" && copy_tree "$base/data" "$own" &&
    mv -T "$own" "$key"; then
    for old in "$name"-*; do # of another version
      [[ $old == "$key" ]] || rm -rf "$old"
    done
    return
  fi 2>/dev/null
  rm -rf "$own"
}

make_data() {
  mkdir "$base/data"
  set_as_server
  give_to_server
  if ! (cd "$base" && "${kind}_init") >"$base/init.log" 2>&1; then
    tail -n 15 "$base/init.log" >&2
    die "cannot initialise the data of a $kind server"
  fi
}

# NAME SUBJECT EXTENSIONS: a key and a certificate signed by our own authority.
sign() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -keyout "$1-key.pem" -out "$1.csr" -subj "/CN=$2"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca-key.pem -days 2 \
    -set_serial "$RANDOM" -extfile <(printf '%s\n' "$3") -out "$1-cert.pem"
  rm "$1.csr"
}

authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -keyout "$1-key.pem" -out "$1.pem" -days 2 -subj "/CN=bench test $1"
}

make_certificates() {
  local names="DNS:$tls_name"
  [[ $tls_name != localhost ]] || names+=",IP:127.0.0.1"
  mkdir "$base/tls"
  if ! (
    cd "$base/tls"
    umask 077
    authority ca
    authority wrong-ca
    sign server "$tls_name" "subjectAltName=$names"
    sign client sbtest "extendedKeyUsage=clientAuth"
  ) >"$base/init.log" 2>&1; then
    tail -n 15 "$base/init.log" >&2
    die "cannot make certificates"
  fi
}

# PREFIX: what `env` says about certificates.
env_tls() {
  [[ $tls != off ]] || return 0
  printf '%s=%q\n' "$1_CA" "$base/tls/ca.pem" \
    "$1_WRONG_CA" "$base/tls/wrong-ca.pem" \
    "$1_CLIENT_CERT" "$base/tls/client-cert.pem" \
    "$1_CLIENT_KEY" "$base/tls/client-key.pem"
}
