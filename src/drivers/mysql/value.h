/*
 * value.h - values of the binary protocol as the text protocol shows them, byte
 * for byte.  Pure functions.
 */
#ifndef BENCH_DRIVERS_MYSQL_VALUE_H
#define BENCH_DRIVERS_MYSQL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

struct column {
  uint32_t length;
  uint16_t flags;
  uint8_t type;
  uint8_t decimals;
};

/* For any number, date or time, without terminator. */
enum {
  VALUE_ROOM = 400
};

struct moment {
  bool negative;
  uint32_t year, month, day, hour, minute, second; /* day: also of a TIME */
  uint32_t us;
};

enum value_kind {
  VALUE_INT,
  VALUE_FLOAT,
  VALUE_DOUBLE,
  VALUE_DATE,
  VALUE_TIME,
  VALUE_NULL,
  VALUE_BYTES,
};
enum value_kind value_kind(uint8_t type);

/* `bits` is extended to 64 bits by the column's sign.  Return the length. */
size_t mysqld_value_int(const struct column *c, uint64_t bits, char *to);
size_t mysqld_value_double(const struct column *c, double v, bool single,
                           char *to);
size_t mysqld_value_date(const struct column *c, const struct moment *m,
                         char *to);
size_t mysqld_value_time(const struct column *c, const struct moment *m,
                         char *to);

/* A row without its leading zero byte.  Numbers go to `digits` (n * VALUE_ROOM
 * bytes), others are borrowed from the row.  False: malformed. */
bool mysqld_value_row(const struct column *cols, uint32_t n, const uint8_t *row,
                      size_t len, char *digits, sql_value *values);

#endif
