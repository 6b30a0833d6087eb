/*
 * test_text_mode.c - the lines that say how a run was asked for.
 */
#include "base/strbuf.h"
#include "report/text.h"
#include "tests/unit/tap.h"

static const uint64_t one_moment[] = { 1 };
static const uint64_t moments[] = { 1, 2, 2 };

static const struct {
  const char *what;
  struct text_mode mode;
  const char *want;
} modes[] = {
  {
    "nothing in particular: two empty lines",
    { .threads = 2 },
    "Running the test with following options:\n"
    "Number of threads: 2\n"
    "Initializing random number generator from current time\n"
    "\n"
    "\n",
  },
  {
    "all at once",
    { .threads = 1,
      .warmup_s = 1,
      .rate = 10,
      .interval_s = 1,
      .n_checkpoints = 1,
      .checkpoints = one_moment,
      .debug = true,
      .validate = true,
      .seed = 7,
      .forced = true,
      .forced_s = 6 },
    "Running the test with following options:\n"
    "Number of threads: 1\n"
    "Warmup time: 1s\n"
    "Target transaction rate: 10/sec\n"
    "Report intermediate results every 1 second(s)\n"
    "Report checkpoint(s) at 1 seconds\n"
    "Debug mode enabled.\n"
    "\n"
    "Validation checks: on.\n"
    "\n"
    "Initializing random number generator from seed (7).\n"
    "\n"
    "Forcing shutdown in 6 seconds\n"
    "\n",
  },
  {
    "clients",
    { .threads = 64, .carriers = 2, .idle = 8, .seed = 1 },
    "Running the test with following options:\n"
    "Number of clients: 64 on 2 threads\n"
    "Idle clients: 8\n"
    "Initializing random number generator from seed (1).\n"
    "\n"
    "\n",
  },
  {
    "a profile",
    { .threads = 1, .profile = "100x60s", .seed = 1 },
    "Running the test with following options:\n"
    "Number of threads: 1\n"
    "Load profile: 100x60s\n"
    "Initializing random number generator from seed (1).\n"
    "\n"
    "\n",
  },
  {
    "fractions, several moments, a negative seed, a shutdown at once",
    { .threads = 4,
      .rate = 0.5,
      .interval_s = 0.25,
      .n_checkpoints = 3,
      .checkpoints = moments,
      .seed = INT64_MIN,
      .forced = true },
    "Running the test with following options:\n"
    "Number of threads: 4\n"
    "Target transaction rate: 0.5/sec\n"
    "Report intermediate results every 0.25 second(s)\n"
    "Report checkpoint(s) at 1, 2, 2 seconds\n"
    "Initializing random number generator from seed (-9223372036854775808).\n"
    "\n"
    "Forcing shutdown in 0 seconds\n"
    "\n",
  },
};

int main(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
    struct strbuf b = { 0 };

    text_mode(&b, &modes[i].mode);
    OK_STR(strbuf_str(&b), modes[i].want, modes[i].what);
    strbuf_done(&b);
  }
  return TAP_EXIT();
}
