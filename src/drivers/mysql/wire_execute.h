/*
 * wire_execute.h - the request that executes a prepared statement.
 */
#ifndef BENCH_DRIVERS_MYSQL_WIRE_EXECUTE_H
#define BENCH_DRIVERS_MYSQL_WIRE_EXECUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "drivers/mysql/params.h"
#include "drivers/mysql/session.h"

/*
 * Patches the values into p->frame, the complete packet of an execution.
 * False: there is none, or a value is NULL, which changes the packet's form.
 */
static inline bool mysqld_execute_patch(const struct mysql_prepared *p)
{
  const sql_bind *b = p->base.binds;
  const unsigned n = p->base.n_binds;
  uint8_t *to;

  if (UNLIKELY(!p->frame || !p->types_sent))
    return false;
  to = p->frame + p->frame_values;
  for (unsigned i = 0; i < n; i++, to += sizeof(uint64_t)) {
    uint64_t v;

    if (UNLIKELY(!b[i].buffer || (b[i].is_null && *b[i].is_null)))
      return false;
    memcpy(&v, b[i].buffer, sizeof(v));
    put_le64(to, v);
  }
  return true;
}

/* An upper bound of the bytes that mysqld_execute_put() writes. */
size_t mysqld_execute_size(const struct mysql_prepared *p);
/*
 * Write the command, which is going to be sent: the server knows the types from
 * then on.  Returns its bytes.
 */
size_t mysqld_execute_put(struct mysql_prepared *p, uint8_t *to);

#endif
