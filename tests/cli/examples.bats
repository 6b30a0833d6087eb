# examples.bats - the files of examples/ do what they promise.
load helper

@test "the script runs, and its check finds a lost order" {
  needs_driver sqlite
  local script=(-0 "$BENCH_SRC/examples/orders.lua" --db-driver=sqlite --sqlite-db=t.db --sqlite-synchronous=off)
  bench "${script[@]}" --articles=10 prepare
  bench "${script[@]}" --articles=10 --threads=2 --events=50 run
  bench "${script[@]}" check
  must has "$output" 'every order is in the stock'
  bench ./take.lua --db-driver=sqlite --sqlite-db=t.db prepare
  bench "${script[@]:1}" check
  must [ "$status" = 1 ]
  must has "$output" 'article 3: stock '
  bench "${script[@]}" cleanup
}

setup() {
  cat >take.lua <<'LUA'
function prepare()
  sysbench.sql.driver():connect():query("UPDATE shop_articles SET stock = stock - 1 WHERE id = 3")
end
LUA
}

@test "the file of SQL keeps the sum of the accounts" {
  needs_driver sqlite
  local at=(--db-driver=sqlite --sqlite-db=t.db --sqlite-synchronous=off)
  bench -0 "$BENCH_SRC/examples/transfer_setup.sql" "${at[@]}" --events=1 run
  bench -0 "$BENCH_SRC/examples/transfer.sql" "${at[@]}" --events=50 run
  printf '%s\n' 'function prepare()' \
    '  print("sum", sysbench.sql.driver():connect():query_row("SELECT SUM(balance) FROM transfer_accounts"))' \
    'end' >sum.lua
  bench -0 ./sum.lua "${at[@]}" prepare
  must has "$output" $'sum\t1000000'
}

# of FILE EXPRESSION: of the document in a YAML file, which is d.
of() {
  python3 -c 'import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$BENCH_SRC/examples/$1" "$2"
}

@test "the workflow fails if the new version is slower" {
  python3 -c 'import yaml' || skip 'python3-yaml is not installed'
  steps='{s["name"]: s["run"] for s in d["jobs"]["compare"]["steps"] if "name" in s}'
  of github/gate.yml "${steps}['run']" >run.sh
  must has "$(cat run.sh)" 'queries.sql" .*--db-driver=pgsql'
  bash -n run.sh
  of github/gate.yml "${steps}['compare']" >compare.sh
  local side
  for side in base new; do
    bench -0 cpu --cpu-max-prime=$((${#side} == 4 ? 100 : 30000)) --time=0.2 --repeat=3 --json=$side.json run
  done
  mkdir bin && ln -s "$BENCH" bin/bench
  local status=0
  PATH=$PWD/bin:$PATH GITHUB_STEP_SUMMARY=page.md bash -e compare.sh >out || status=$?
  must [ "$status" = 3 ]
  must has "$(cat page.md)" slower
}

@test "Grafana finds the dashboard, and Prometheus the run" {
  python3 -c 'import yaml' || skip 'python3-yaml is not installed'
  local grafana=$BENCH_SRC/examples/grafana path
  for path in $(of grafana/compose.yml '" ".join(v.split(":")[0] for s in d["services"].values() for v in s["volumes"])'); do
    must [ -e "$grafana/$path" ]
  done
  folder=$(of grafana/provisioning/dashboards/bench.yml 'd["providers"][0]["options"]["path"]')
  must is "$(of grafana/compose.yml 'd["services"]["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]')" "$folder/bench.json"
  must has "$(of grafana/compose.yml 'd["services"]["grafana"]["volumes"]')" "../../share/grafana:$folder:ro"
  must is "http://$(of grafana/compose.yml 'd["services"]["prometheus"]["command"][1].split("=")[1]')" \
    "$(of grafana/provisioning/datasources/prometheus.yml 'd["datasources"][0]["url"]')"
  target=$(of grafana/prometheus.yml 'd["scrape_configs"][0]["static_configs"][0]["targets"][0]')
  must has "$(cat "$BENCH_SRC/examples/README.md")" "--prometheus=${target#127.0.0.1:} "
}
