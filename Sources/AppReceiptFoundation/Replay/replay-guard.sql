-- The table of a ReplayGuard for PostgreSQL 9.5 or newer, and its three statements.
--
-- The unique constraint decides. Two servers that grant the same purchase at the same moment cannot both insert the
-- row, so each statement works without a transaction of its own and without a lock. At an isolation level above READ
-- COMMITTED, repeat a statement that fails with a serialization error.
--
-- COLLATE "C" compares text byte for byte, as the package does.

-- migrate
CREATE TABLE IF NOT EXISTS granted_purchase (
    environment text COLLATE "C" NOT NULL,
    original_transaction_id text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    granted_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT granted_purchase_once UNIQUE (environment, original_transaction_id)
);

-- claim: $1 is the environment, $2 the original transaction identifier, $3 the account.
-- Always returns one row. `account` is the account that has the purchase now, and `is_new` says whether this
-- statement granted it. The update changes nothing: without it, a conflict would return no row.
INSERT INTO granted_purchase AS granted (environment, original_transaction_id, account)
VALUES ($1, $2, $3)
ON CONFLICT ON CONSTRAINT granted_purchase_once
    DO UPDATE SET account = granted.account
RETURNING account, (xmax = 0) AS is_new;

-- owner: $1 is the environment, $2 the original transaction identifier.
-- Returns the account that has the purchase, or no row.
SELECT account FROM granted_purchase WHERE environment = $1 AND original_transaction_id = $2;

-- release: $1 is the environment, $2 the original transaction identifier, $3 the account.
-- Returns a row if the account had the purchase. Another account's grant stays.
DELETE FROM granted_purchase
WHERE environment = $1 AND original_transaction_id = $2 AND account = $3
RETURNING account;
