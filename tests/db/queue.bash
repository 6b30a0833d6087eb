# shellcheck shell=bash
# queue.bash - what the tests of the script queue do on every database; to be
# sourced.
. "$BENCH_SRC/tests/db/workload.bash"
# shellcheck disable=SC2034
workload=queue

# ran ENQUEUED DONE: the last run has reconciled these numbers.
ran() {
  says "^Jobs enqueued of the run: $1 committed, 0 with unknown outcome, the tables have $1: ok$"
  says "^Jobs done of the run: $2 committed, 0 with unknown outcome, the tables have $2: ok$"
}

# number_of WORDS: in the report of the last run.
number_of() {
  sed -nE "s/^    $1: ([0-9]+).*/\1/p" out
}

# queue_life CLAIM...: jobs are added and finished in each way.
queue_life() {
  local claim left=90 done none
  good prepare
  good check
  # One client adds and finishes in turn, so that nothing is left.
  good --threads=1 --events=40 --time=0 --json=q.json run
  ran 20 20
  python3 -c 'import json
d = json.load(open("q.json"))
t = d["test"]
assert t["reconciliation"]["done"] == {"committed": 20, "unknown": 0, "in_tables": 20, "verdict": "ok"}, t
assert t["enqueue_to_done"]["count"] == 20 and 0 < t["enqueue_to_done"]["p50_ms"] <= t["enqueue_to_done"]["max_ms"], t
assert t["depth_end"] == 0 and t["depth"]["00001"] <= 1, t
c = [c for c in d["classes"] if c["name"] == "enqueue to done"][0]
assert c["count"] == 20, c
assert d["totals"]["counters"]["jobs done"] == 20, d["totals"]'
  good --threads=2 --producers=2 --events=90 --time=0 --payload=10 run
  ran 90 0
  says '^    enqueue to done: no job that this run has added was done$'
  says '^    depth: 0 at the beginning, 90 at the end, 90 at most$'
  [ "$(sql 'SELECT COUNT(*), MIN(LENGTH(payload)), MAX(LENGTH(payload)) FROM queue_jobs')" = '90 10 10' ]
  for claim; do
    good --threads=3 --producers=0 --claim="$claim" --events=20 --time=0 run
    # Where the lock is no part of the read, others may be faster each time.
    done=$(number_of done) none=$(number_of 'looks at the empty queue, which are not events')
    ((done > 0 && done + none == 20))
    says "^    depth: $left at the beginning, $((left - done)) at the end"
    left=$((left - done))
  done
  # The rest, and events that find nothing.
  good --threads=3 --producers=0 --events=100 --time=0 --json=q.json run
  python3 -c 'import json
d = json.load(open("q.json"))
q = d["totals"]["queries"]
assert q["read_empty"] > 0.05 * q["read"], q
assert "missing_rows" not in [w["code"] for w in d["warnings"]], d["warnings"]'
  says "^    done: $left "
  says "^    looks at the empty queue, which are not events: $((100 - left))$"
  says "^    total number of events: +$left$"
  [ "$(sql 'SELECT COUNT(*) FROM queue_jobs')" = 0 ]
  good --threads=4 --events=200 --time=0 run
  good check
  says '^queue_done: Jobs done of all runs: .*: ok$'
  bad '--producers is 3, but there are only 2 clients' --threads=2 --producers=3 run
}

# Each thing that may go wrong is named.
queue_mutations() {
  good --threads=1 --producers=1 --events=5 --time=0 run
  sql 'DELETE FROM queue_done WHERE producer = 1 AND sequence = 7'
  bad "'queue_done'... 1 job is in neither table, but only 0 had an unknown outcome: jobs are LOST, the first has producer 1, sequence 7" check
  says 'queue_done: Jobs done of all runs: .*: 1 are LOST$'
  sql 'INSERT INTO queue_done (id, producer, sequence, consumer) VALUES (0, 1, 7, 1)'
  good check
  broken "'queue_done'... 1 job done more than once in queue_done, the first has producer 1, sequence 9" \
    'INSERT INTO queue_done (id, producer, sequence, consumer) VALUES (0, 1, 9, 77)' \
    'DELETE FROM queue_done WHERE consumer = 77'
  broken "'queue_done'... 1 job is still in queue_jobs, but in queue_done as well, the first has producer 1, sequence 3" \
    "INSERT INTO queue_jobs (producer, sequence, clock, enqueued, claimed_by, payload) VALUES (1, 3, 0, 0, 0, 'x')" \
    "DELETE FROM queue_jobs WHERE payload = 'x'"
  broken "'queue_jobs'... .*producer or sequence of no client in 1 row of queue_jobs, the first has id [0-9]+" \
    "INSERT INTO queue_jobs (producer, sequence, clock, enqueued, claimed_by, payload) VALUES (999, 1, 0, 0, 0, 'x')" \
    "DELETE FROM queue_jobs WHERE payload = 'x'"
  good check
  # The newest job is gone: only the acknowledgement knows.
  sql 'DELETE FROM queue_jobs WHERE sequence = 5 AND producer = (SELECT clients FROM bench_queue)'
  bad 'queue_jobs and queue_done: Jobs enqueued of all runs: .*: 1 are LOST$' check
  good cleanup
  lacks_table bench_queue
}
