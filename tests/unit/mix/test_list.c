/*
 * The members of a mix as --mix names them.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "opt/opt.h"
#include "run/mix/list.h"
#include "tests/unit/tap.h"

static int parse(struct mix_list *ret, const char *const *items, size_t n,
                 struct err *err)
{
  const struct opt_list list = { n, items };

  *ret = (struct mix_list){ 0 };
  return mix_list_parse(ret, &list, err);
}

static bool is_member(const struct mix_member *m, const char *name,
                      const char *script, unsigned weight, unsigned clients,
                      double rate)
{
  return strcmp(m->name, name) == 0 && strcmp(m->script, script) == 0 &&
         m->weight == weight && m->clients == clients && m->rate == rate;
}

static void check_weights(void)
{
  static const char *const items[] = {
    "oltp_read_only@70", "./a@b/own.lua@30",   "x.sql",
    "again=x.sql@5",     "/p/a:b/my-file.lua", "one=./strange name.lua@2",
  };
  struct mix_list list;
  struct err err = { "" };

  MUST(parse(&list, items, ARRAY_SIZE(items), &err) == 0);
  OK(list.n == 6 && !list.dedicated, "six members with weights");
  OK(is_member(&list.of[0], "oltp_read_only", "oltp_read_only", 70, 0, 0),
     "the name of a bundled script");
  OK(is_member(&list.of[1], "own", "./a@b/own.lua", 30, 0, 0),
     "a file, in a folder with an @");
  OK(is_member(&list.of[2], "x", "x.sql", 1, 0, 0), "without a weight: 1");
  OK(is_member(&list.of[3], "again", "x.sql", 5, 0, 0), "another name");
  OK(is_member(&list.of[4], "my-file", "/p/a:b/my-file.lua", 1, 0, 0),
     "a folder with a colon");
  OK(is_member(&list.of[5], "one", "./strange name.lua", 2, 0, 0),
     "a name for a file whose own name cannot be one");
  OK(mix_list_weights(&list) == 109 && mix_list_clients(&list) == 0,
     "the sum of the weights");
  OK(mix_list_find(&list, "again", 5) == 3 &&
       mix_list_find(&list, "agai", 4) == 6,
     "members are found by their whole name");
  mix_list_done(&list);
}

static void check_clients(void)
{
  static const char *const items[] = { "a:900 ", " b=a:100:rate=2.5" };
  struct mix_list list;
  struct err err = { "" };

  MUST(parse(&list, items, ARRAY_SIZE(items), &err) == 0);
  OK(list.dedicated && is_member(&list.of[0], "a", "a", 0, 900, 0) &&
       is_member(&list.of[1], "b", "a", 0, 100, 2.5),
     "clients, and a rate; blanks around them");
  OK(mix_list_clients(&list) == 1000, "the sum of the clients");
  mix_list_done(&list);
}

static void check_refused(void)
{
  static const struct {
    const char *items[2], *says;
  } bad[] = {
    { { "a@0" }, "'a@0': the weight after @ is a whole number" },
    { { "a@" }, "'a@': the weight after @" },
    { { "a@1.5" }, "'a@1.5': the weight after @" },
    { { "a@-1" }, "'a@-1': the weight after @" },
    { { "a@1000001" }, "'a@1000001': the weight after @" },
    { { "a:0" }, "'a:0': the clients after :" },
    { { "a:x" }, "'a:x': the clients after :" },
    { { "a::rate=1" }, "the clients after :" },
    { { "a:1:speed=1" }, "there may only be a rate" },
    { { "a:1:rate=0" }, "the rate is a number greater than 0" },
    { { "a:1:rate=nan" }, "the rate is a number greater than 0" },
    { { "a:1:rate=1x" }, "the rate is a number greater than 0" },
    { { "a:1:rate=1/s" }, "the rate is a number greater than 0" },
    { { "a@1:rate=1" }, "a rate is for clients of its own" },
    { { " " }, "it names no script" },
    { { "@3" }, "'@3': it names no script" },
    { { "x=@3" }, "'x=@3': it names no script" },
    { { "./a b.lua" }, "'./a b.lua': it needs a name" },
    { { "./v1.2.lua" }, "it needs a name" },
    { { "a@1", "b:1" }, "'b:1': all members have a weight" },
    { { "a:1", "b" }, "'b': all members have clients of their own" },
    { { "a@1", "./a.lua@2" }, "two members are called 'a'" },
    { { "a:1000000", "b:1" }, "at most 1000000 clients" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
    struct mix_list list;
    struct err err = { "" };
    const int rc = parse(&list, bad[i].items, bad[i].items[1] ? 2 : 1, &err);

    OK(rc == -EINVAL && list.of == NULL && strstr(err.text, bad[i].says),
       bad[i].items[0]);
    if (rc != -EINVAL || !strstr(err.text, bad[i].says))
      printf("# %d: %s\n", rc, err.text);
  }
}

int main(void)
{
  check_weights();
  check_clients();
  check_refused();
  return TAP_EXIT();
}
