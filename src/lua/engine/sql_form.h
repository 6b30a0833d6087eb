/*
 * sql_form.h - the reports of scripts that use a database.
 */
#ifndef BENCH_LUA_ENGINE_SQL_FORM_H
#define BENCH_LUA_ENGINE_SQL_FORM_H

struct report_form;

extern const struct report_form sql_form;

#endif
