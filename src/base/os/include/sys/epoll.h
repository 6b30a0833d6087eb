/*
 * sys/epoll.h - a header of Linux: what it has is in src/base/os.
 */
#ifndef BENCH_OS_SYS_EPOLL_H
#define BENCH_OS_SYS_EPOLL_H

#include "base/os/os.h"

#endif
