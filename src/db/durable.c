/*
 * durable.c - which settings of a server give durability up.
 */
#include "db/durable.h"

#include <strings.h>

#include "base/facts.h"
#include "base/strbuf.h"
#include "db/driver.h"

/* NULL: unknown. */
static const char *value_of(const struct facts *server, const char *name)
{
  const struct fact *f = facts_find(server, name);

  return f && f->type == FACT_TEXT ? f->text : NULL;
}

static bool applies(const struct driver_durable *rule,
                    const struct facts *server)
{
  const char *value = value_of(server, rule->setting);
  const char *other = rule->if_setting ? value_of(server, rule->if_setting)
                                       : NULL;

  if (!value ||
      (rule->if_setting && (!other || strcasecmp(other, rule->if_value) != 0)))
    return false;
  return rule->unsafe ? strcasecmp(value, rule->unsafe) == 0
                      : strcasecmp(value, rule->safe) != 0;
}

size_t durable_gaps(const struct driver_durable *rules,
                    const struct facts *server, struct strbuf *to,
                    bool *ret_usual)
{
  size_t n = 0;

  *ret_usual = true;
  for (const struct driver_durable *r = rules; r && r->setting; r++) {
    if (!applies(r, server))
      continue;
    strbuf_addf(to, "%s%s = %s (%s)", n > 0 ? ", " : "", r->setting,
                value_of(server, r->setting), r->means);
    *ret_usual = *ret_usual && r->usual;
    n++;
  }
  return n;
}
