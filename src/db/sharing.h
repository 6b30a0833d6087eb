/*
 * sharing.h - what clients that share connections can have.
 */
#ifndef BENCH_DB_SHARING_H
#define BENCH_DB_SHARING_H

#include <stdbool.h>

struct conn_params;
struct driver_handle;

/* The client may open a connection: its only one, without parameters of its
 * own.  False after a FATAL line, which names the option. */
bool sharing_is_possible(const struct driver_handle *h,
                         const struct conn_params *params, const char *option);

#endif
