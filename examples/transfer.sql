-- transfer.sql - moves money between two accounts; one event is one pass through the file.
\set first random(1, 999)
\set second random(:first + 1, 1000)
\set amount random(1, 100)
BEGIN;
UPDATE transfer_accounts SET balance = balance - :amount WHERE id = :first;
UPDATE transfer_accounts SET balance = balance + :amount WHERE id = :second;
COMMIT;
