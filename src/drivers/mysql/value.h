/*
 * value.h - formats values of the binary protocol as the text protocol shows
 * them.
 *
 * Pure functions.  The texts are those of the text protocol, byte for byte.
 */
#ifndef BENCH_DRIVERS_MYSQL_VALUE_H
#define BENCH_DRIVERS_MYSQL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

/* What is needed of a column definition. */
struct column {
  uint32_t length;
  uint16_t flags;
  uint8_t type;
  uint8_t decimals;
};

/* Room for the text of any number, date or time, without terminator. */
enum {
  VALUE_ROOM = 400
};

/* A date or time of day as it is sent. */
struct moment {
  bool negative;
  uint32_t year, month, day, hour, minute, second; /* day: also in a TIME */
  uint32_t us;
};

/* How the bytes of a value of this type are encoded. */
enum value_kind {
  VALUE_INT,
  VALUE_FLOAT,
  VALUE_DOUBLE,
  VALUE_DATE, /* also DATETIME and TIMESTAMP */
  VALUE_TIME,
  VALUE_NULL,
  VALUE_BYTES,
};
enum value_kind value_kind(uint8_t type);

/*
 * Format a value; `bits` is extended to 64 bits by the column's sign.  All
 * return the length.
 */
size_t mysqld_value_int(const struct column *c, uint64_t bits, char *to);
size_t mysqld_value_double(const struct column *c, double v, bool single,
                           char *to);
size_t mysqld_value_date(const struct column *c, const struct moment *m,
                         char *to);
size_t mysqld_value_time(const struct column *c, const struct moment *m,
                         char *to);

/*
 * Parse a row of the binary protocol, without its leading zero byte.  Fills in
 * values[0..n-1]: numbers as texts in `digits` (n * VALUE_ROOM bytes), others
 * borrowed from the row.  False: the row is malformed.
 */
bool mysqld_value_row(const struct column *cols, uint32_t n, const uint8_t *row,
                      size_t len, char *digits, sql_value *values);

#endif
