#include "run/mix/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/parse.h"
#include "opt/opt.h"

static const char *const orders[] = { "random", "deck", NULL };

const struct opt mix_opts[] = {
  {
    OPT_LIST(struct mix_cfg, members),
    .name = "mix",
    .group = "Load",
    .flags = OPT_OWN | OPT_NOT_EMPTY | OPT_NO_GAPS | OPT_PATH | OPT_COMMON,
    .show_as = "=SCRIPT[@WEIGHT],...",
    .expected = "a comma-separated list of scripts, as in "
                "oltp_read_only@70,./own.lua@30",
    .help = "run several scripts or files of SQL as one test",
    .man = "Each client chooses a script for each event, with the weights "
           "after @ (1 if there is none). SCRIPT:CLIENTS in all places gives "
           "each script clients of its own, and SCRIPT:CLIENTS:rate=N also a "
           "rate of its own. An option of one script is written "
           "--SCRIPT.NAME=VALUE; without the name it applies to all that have "
           "it. NAME= before a script gives it another name.",
  },
  {
    OPT_WORD(struct mix_cfg, order),
    .name = "mix-choice",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "random",
    .words = orders,
    .help = "how clients choose the scripts of a mix",
    .man = "With \"random\", each event is drawn by itself. With \"deck\", "
           "each client shuffles a deck of cards, one for each unit of weight, "
           "and draws them all before it shuffles again: then the shares are "
           "exact.",
  },
  OPT_END,
};

enum {
  CLIENTS_MAX = 1000000,
};

static const char name_letters[] =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

static const char bad_rate[] =
  "the rate is a number greater than 0, in events per second";

static int mix_list_refuse(const char *item, const char *why, struct err *err)
{
  return err_set(err, -EINVAL, "--mix: '%s': %s", item, why);
}

static int mix_list_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the mix");
}

static const char *mix_list_base_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

static size_t mix_list_length_of_name(const char *item)
{
  const size_t len = strspn(item, name_letters);

  return item[len] == '=' ? len : 0;
}

static int mix_list_parse_weight(struct mix_member *m, const char *item,
                                 const char *text, struct err *err)
{
  int64_t weight;

  if (strstr(text, ":rate="))
    return mix_list_refuse(item,
                           "a rate is for clients of its own, as in "
                           "SCRIPT:2:rate=10",
                           err);
  if (parse_int(text, &weight) < 0 || weight < 1 || weight > MIX_WEIGHT_MAX)
    return mix_list_refuse(item,
                           "the weight after @ is a whole number from 1 to "
                           "1000000",
                           err);
  m->weight = (unsigned)weight;
  return 0;
}

/* "N" or "N:rate=R". */
static int mix_list_parse_clients(struct mix_member *m, const char *item,
                                  const char *text, struct err *err)
{
  static const char rate[] = "rate=";
  const char *colon = strchr(text, ':');
  char *digits = mem_strndup(text,
                             colon ? (size_t)(colon - text) : strlen(text));
  int64_t clients = 0;
  int rc = digits ? parse_int(digits, &clients) : -ENOMEM;

  free(digits);
  if (rc == -ENOMEM)
    return mix_list_no_memory(err);
  if (rc < 0 || clients < 1 || clients > CLIENTS_MAX)
    return mix_list_refuse(item,
                           "the clients after : are a whole number from 1 to "
                           "1000000",
                           err);
  m->clients = (unsigned)clients;
  if (!colon)
    return 0;
  if (strncmp(colon + 1, rate, strlen(rate)) != 0)
    return mix_list_refuse(item,
                           "after the clients there may only be a rate, as in "
                           "SCRIPT:2:rate=10",
                           err);
  if (parse_double(colon + 1 + strlen(rate), &m->rate) < 0 ||
      !(m->rate > 0.0) || m->rate > 1e9)
    return mix_list_refuse(item, bad_rate, err);
  return 0;
}

static int mix_list_name_after_script(struct mix_member *m, const char *item,
                                      struct err *err)
{
  const char *base = mix_list_base_of(m->script);
  size_t len = strlen(base);

  if (len > 4 && (strcmp(base + len - 4, ".lua") == 0 ||
                  strcmp(base + len - 4, ".sql") == 0))
    len -= 4;
  if (len == 0 || strspn(base, name_letters) < len)
    return mix_list_refuse(item,
                           "it needs a name of letters, digits, _ and -, as in "
                           "NAME=SCRIPT",
                           err);
  m->name = mem_strndup(base, len);
  return m->name ? 0 : mix_list_no_memory(err);
}

static int mix_list_parse_member(struct mix_member *m, const char *item,
                                 struct err *err)
{
  const size_t name = mix_list_length_of_name(item);
  const char *script = name > 0 ? item + name + 1 : item;
  const char *end = strpbrk(mix_list_base_of(script), "@:");
  const size_t len = end ? (size_t)(end - script) : strlen(script);
  int rc = 0;

  if (len == 0)
    return mix_list_refuse(item, "it names no script", err);
  m->script = mem_strndup(script, len);
  if (!m->script)
    return mix_list_no_memory(err);
  if (strstr(m->script, ":rate=")) /* a slash comes after */
    return mix_list_refuse(item, bad_rate, err);
  if (!end)
    m->weight = 1;
  else if (*end == '@')
    rc = mix_list_parse_weight(m, item, end + 1, err);
  else
    rc = mix_list_parse_clients(m, item, end + 1, err);
  if (rc < 0)
    return rc;
  if (name == 0)
    return mix_list_name_after_script(m, item, err);
  m->name = mem_strndup(item, name);
  return m->name ? 0 : mix_list_no_memory(err);
}

/* Without blanks around it. */
static int mix_list_parse_item(struct mix_member *m, const char *item,
                               struct err *err)
{
  static const char blanks[] = " \t";
  const char *begin = item + strspn(item, blanks);
  size_t len = strlen(begin);
  char *text;
  int rc;

  while (len > 0 && strchr(blanks, begin[len - 1]))
    len--;
  text = mem_strndup(begin, len);
  rc = text ? mix_list_parse_member(m, text, err) : mix_list_no_memory(err);
  free(text);
  return rc;
}

static int mix_list_check(struct mix_list *list, const struct opt_list *items,
                          struct err *err)
{
  list->dedicated = list->of[0].clients > 0;
  for (size_t i = 0; i < list->n; i++) {
    const struct mix_member *m = &list->of[i];
    const size_t first = mix_list_find(list, m->name, strlen(m->name));

    if ((m->clients > 0) != list->dedicated)
      return mix_list_refuse(
        items->items[i],
        list->dedicated
          ? "all members have clients of their own (SCRIPT:CLIENTS)"
            ", or none has"
          : "all members have a weight (SCRIPT@WEIGHT), or none "
            "has",
        err);
    if (first < i)
      return err_set(err, -EINVAL,
                     "--mix: two members are called '%s': give one another "
                     "name, as in NAME=%s",
                     m->name, m->script);
  }
  if (mix_list_clients(list) > CLIENTS_MAX)
    return err_set(err, -EINVAL, "--mix: at most %d clients are allowed",
                   CLIENTS_MAX);
  return 0;
}

int mix_list_parse(struct mix_list *ret, const struct opt_list *items,
                   struct err *err)
{
  struct mix_list list = { 0 };
  int rc = 0;

  if (items->n == 0 || items->n > MIX_MEMBERS_MAX)
    return err_set(err, -EINVAL, "--mix: a mix has 1 to %d members",
                   MIX_MEMBERS_MAX);
  list.of = calloc(items->n, sizeof(*list.of));
  if (!list.of)
    return mix_list_no_memory(err);
  for (size_t i = 0; i < items->n && rc == 0; i++) {
    list.n = i + 1;
    rc = mix_list_parse_item(&list.of[i], items->items[i], err);
  }
  if (rc == 0)
    rc = mix_list_check(&list, items, err);
  if (rc < 0) {
    mix_list_done(&list);
    return rc;
  }
  *ret = list;
  return 0;
}

void mix_list_done(struct mix_list *list)
{
  for (size_t i = 0; i < list->n; i++) {
    free(list->of[i].name);
    free(list->of[i].script);
  }
  free(list->of);
  *list = (struct mix_list){ 0 };
}

uint64_t mix_list_clients(const struct mix_list *list)
{
  uint64_t sum = 0;

  for (size_t i = 0; i < list->n; i++)
    sum += list->of[i].clients;
  return sum;
}

uint64_t mix_list_weights(const struct mix_list *list)
{
  uint64_t sum = 0;

  for (size_t i = 0; i < list->n; i++)
    sum += list->of[i].weight;
  return sum;
}

size_t mix_list_find(const struct mix_list *list, const char *name, size_t len)
{
  size_t i = 0;

  while (i < list->n && (strlen(list->of[i].name) != len ||
                         memcmp(list->of[i].name, name, len) != 0))
    i++;
  return i;
}
