-- transfer_setup.sql - makes the table of transfer.sql: run it once, with --events=1.
DROP TABLE IF EXISTS transfer_accounts;
CREATE TABLE transfer_accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
INSERT INTO transfer_accounts (id, balance)
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
SELECT n, 1000 FROM numbers;
