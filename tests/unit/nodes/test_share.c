/*
 * test_share.c - what process 0 sends to the others about the environment.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "nodes/nodes.h"
#include "tests/unit/tap.h"

static size_t entries(void)
{
  size_t n = 0;

  while (environ[n])
    n++;
  return n;
}

int main(void)
{
  /* exec() takes entries that are no variables: they cannot be unset. */
  char odd[] = "PGx", user[] = "PGUSER=one", other[] = "OTHER=1",
       empty[] = "BENCH_MYSQL_";
  char own_odd[] = "MYSQL_", own_user[] = "PGUSER=two", own[] = "PGHOST=own",
       own_other[] = "OTHER=2";
  char *first[] = { odd, user, other, empty, NULL };
  char *second[] = { own_odd, own_user, own, own_other, NULL };
  struct nodes from = { .argc = 0 }, to = { .argc = 0 };
  struct strbuf bytes = { 0 };
  struct err err = { "" };
  bool alone, go;

  (void)alarm(60); /* the loop could be endless */
  environ = first;
  nodes_share_write(&from, SHARE_RUN, &bytes);
  environ = second;
  OK(nodes_share_read(&to, strbuf_str(&bytes), bytes.len, &alone, &go, &err) ==
         0 &&
       go && !alone,
     "what to run");
  OK_STR(getenv("PGUSER"), "one",
         "variables of databases are those of process 0");
  OK(!getenv("PGHOST"), "also those that it does not have");
  OK_STR(getenv("OTHER"), "2", "others are its own");
  OK(entries() == 3, "what is no variable is left alone, and not told");
  strbuf_done(&bytes);
  free(to.argv);
  free(to.files);
  return TAP_EXIT();
}
