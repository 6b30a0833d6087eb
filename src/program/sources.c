/*
 * sources.c - the sources of tests.
 */
#include "program/internal.h"
#include "program/source.h"

const struct test_source *source_by_name(const char *name)
{
  switch (program_kind(name)) {
  case PROGRAM_BUILTIN:
    return &source_builtin;
  case PROGRAM_SQLFILE:
    return &source_sqlfile;
  case PROGRAM_SCRIPT:
    break;
  }
  return &source_script;
}
