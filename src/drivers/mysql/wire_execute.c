/*
 * wire_execute.c - the request that executes a prepared statement.
 */
#include "drivers/mysql/wire_execute.h"

#include <stdlib.h>

enum {
  EXECUTE_HEAD = 10,   /* command, statement, flags, iterations */
  PARAMETER_COUNT = 8, /* a flag: the number of parameters is sent */
};

/* Keeps the command, which has sent the types, without them. */
static void frame_make(struct mysql_prepared *p, const uint8_t *command)
{
  struct mysql_session *s = prepared_session(p);
  const sql_bind *binds = p->base.binds;
  const unsigned n = p->base.n_binds;
  const struct params_form form = { .named = s->wire.forms.attributes };
  const uint8_t *end;

  free(p->frame);
  p->frame = NULL;
  for (unsigned i = 0; i < n; i++) {
    if (!mysqld_params_is_wide(binds[i].type) || param_is_null(&binds[i]))
      return;
  }
  p->frame = malloc(PACKET_HEAD + EXECUTE_HEAD +
                    mysqld_params_size(binds, n, form));
  if (!p->frame)
    return; /* it is only an optimization */
  memcpy(p->frame + PACKET_HEAD, command, EXECUTE_HEAD);
  end = mysqld_params_put(binds, n, form,
                          p->frame + PACKET_HEAD + EXECUTE_HEAD);
  p->frame_len = (uint32_t)(end - p->frame);
  p->frame_values = p->frame_len - n * (uint32_t)sizeof(uint64_t);
  packet_head(p->frame, p->frame_len - PACKET_HEAD, 0);
}

static struct params_form form_of(const struct mysql_prepared *p)
{
  const struct mysql_session *s = session_of(p->base.session);

  return (struct params_form){ .types = !p->types_sent,
                               .named = s->wire.forms.attributes };
}

size_t mysqld_execute_size(const struct mysql_prepared *p)
{
  return EXECUTE_HEAD +
         mysqld_params_size(p->base.binds, p->base.n_binds, form_of(p));
}

size_t mysqld_execute_put(struct mysql_prepared *p, uint8_t *to)
{
  const struct params_form form = form_of(p);
  const unsigned n = p->base.n_binds;
  const uint8_t *end;

  to[0] = COMMAND_EXECUTE;
  put_le32(to + 1, p->id);
  to[5] = form.named && n > 0 ? PARAMETER_COUNT : 0; /* no cursor */
  put_le32(to + 6, 1);
  end = mysqld_params_put(p->base.binds, n, form, to + EXECUTE_HEAD);
  if (!p->types_sent)
    frame_make(p, to);
  p->types_sent = true;
  return (size_t)(end - to);
}
