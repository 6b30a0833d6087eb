/*
 * sys/vfs.h - where Linux has fstatfs().
 */
#ifndef BENCH_OS_SYS_VFS_H
#define BENCH_OS_SYS_VFS_H

#include <sys/param.h>

#include <sys/mount.h>

#endif
