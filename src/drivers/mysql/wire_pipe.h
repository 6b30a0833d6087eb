/*
 * wire_pipe.h - several requests in flight on a plain socket.
 */
#ifndef BENCH_DRIVERS_MYSQL_WIRE_PIPE_H
#define BENCH_DRIVERS_MYSQL_WIRE_PIPE_H

#include "db/driver_pipe.h"

extern const struct driver_pipe mysqld_pipe;

#endif
