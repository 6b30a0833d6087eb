#include "lua/find/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lua/find/source.h"

static void bundle_module_done(struct bundle_module *m)
{
  free(m->name);
  free(m->path);
  strbuf_done(&m->text);
}

void bundle_done(struct bundle *b)
{
  for (size_t i = 0; i < b->n; i++)
    bundle_module_done(&b->of[i]);
  free(b->of);
  strbuf_done(&b->script);
  *b = (struct bundle){ 0 };
}

const struct bundle_module *bundle_find(const struct bundle *b,
                                        const char *name)
{
  for (size_t i = 0; i < b->n; i++) {
    if (strcmp(b->of[i].name, name) == 0)
      return &b->of[i];
  }
  return NULL;
}

int bundle_add(struct bundle *b, const char *name, const char *path,
               const char *text, size_t len)
{
  struct bundle_module *more, m = { 0 };
  int rc = 0;

  if (bundle_find(b, name))
    return 0;
  more = realloc(b->of, (b->n + 1) * sizeof(*more));
  if (!more)
    return -ENOMEM;
  b->of = more;
  m.name = mem_strdup(name);
  m.path = mem_strdup(path);
  if (text)
    strbuf_add(&m.text, text, len);
  else
    rc = source_read_file(path, &m.text);
  if (rc == 0 && (!m.name || !m.path || m.text.failed))
    rc = -ENOMEM;
  if (rc < 0)
    bundle_module_done(&m);
  else
    b->of[b->n++] = m;
  return rc;
}
