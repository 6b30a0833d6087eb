/*
 * sql_form.h - the reports of tests that use a database.
 */
#ifndef BENCH_DB_FIGURES_SQL_FORM_H
#define BENCH_DB_FIGURES_SQL_FORM_H

struct report_form;

extern const struct report_form sql_form;

#endif
