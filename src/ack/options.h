/*
 * options.h - the option of the acknowledgement log.
 */
#ifndef BENCH_ACK_OPTIONS_H
#define BENCH_ACK_OPTIONS_H

#include "opt/opt.h"

struct ack_cfg {
  const char *log; /* "": none */
};

extern const struct opt ack_opts[];

#endif
