"""The database's schema, version by version, and what is taken out of files of earlier versions."""

import re
import sqlite3
from collections.abc import Callable
from functools import partial

from qhub_desktop.core.untrusted import hide_stored_secrets
from qhub_desktop.store.digests import DIGEST_TABLE, record_all_digests, record_digest

Migration = Callable[[sqlite3.Connection], None]

# Moments are microseconds since 1970, UTC. `number` and `message` are SQLite's own row numbers,
# named so that a VACUUM keeps them: the search indexes refer to them.
_VERSION_1 = (
    """CREATE TABLE conversations (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        agent TEXT NOT NULL,
        title TEXT NOT NULL DEFAULT '',
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        is_pinned INTEGER NOT NULL DEFAULT 0,
        is_archived INTEGER NOT NULL DEFAULT 0,
        is_deleted INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    """CREATE INDEX conversations_listed ON conversations (is_pinned, updated)
        WHERE is_deleted = 0""",
    """CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER NOT NULL REFERENCES conversations,
        role TEXT NOT NULL,
        created INTEGER NOT NULL,
        engine TEXT NOT NULL,
        "end" TEXT,
        rating INTEGER NOT NULL DEFAULT 0,
        is_superseded INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    """CREATE INDEX messages_shown ON messages (conversation, id) WHERE is_superseded = 0""",
    """CREATE INDEX messages_open ON messages (id) WHERE "end" IS NULL""",
    # `data` is the packed block, `form` the version of the packing.
    """CREATE TABLE blocks (
        message INTEGER NOT NULL REFERENCES messages,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        form INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (message, position)
    ) STRICT""",
    # What can be searched of a message: written once it has ended, so that the checkpoints of a
    # growing answer cost the search nothing.
    """CREATE TABLE texts (
        message INTEGER PRIMARY KEY REFERENCES messages,
        text TEXT NOT NULL
    ) STRICT""",
    """CREATE VIRTUAL TABLE text_search USING fts5 (
        text, content = 'texts', content_rowid = 'message',
        tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
    )""",
    """CREATE TRIGGER texts_inserted AFTER INSERT ON texts BEGIN
        INSERT INTO text_search (rowid, text) VALUES (new.message, new.text);
    END""",
    """CREATE TRIGGER texts_deleted AFTER DELETE ON texts BEGIN
        INSERT INTO text_search (text_search, rowid, text)
            VALUES ('delete', old.message, old.text);
    END""",
    """CREATE TRIGGER texts_updated AFTER UPDATE OF text ON texts BEGIN
        INSERT INTO text_search (text_search, rowid, text)
            VALUES ('delete', old.message, old.text);
        INSERT INTO text_search (rowid, text) VALUES (new.message, new.text);
    END""",
    """CREATE VIRTUAL TABLE title_search USING fts5 (
        title, content = 'conversations', content_rowid = 'number',
        tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
    )""",
    """CREATE TRIGGER titles_inserted AFTER INSERT ON conversations BEGIN
        INSERT INTO title_search (rowid, title) VALUES (new.number, new.title);
    END""",
    """CREATE TRIGGER titles_deleted AFTER DELETE ON conversations BEGIN
        INSERT INTO title_search (title_search, rowid, title)
            VALUES ('delete', old.number, old.title);
    END""",
    """CREATE TRIGGER titles_updated AFTER UPDATE OF title ON conversations BEGIN
        INSERT INTO title_search (title_search, rowid, title)
            VALUES ('delete', old.number, old.title);
        INSERT INTO title_search (rowid, title) VALUES (new.number, new.title);
    END""",
    # `day` is the local one on which the call was counted.
    """CREATE TABLE usage (
        id INTEGER PRIMARY KEY,
        message INTEGER NOT NULL REFERENCES messages,
        day TEXT NOT NULL,
        model TEXT NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cache_read_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        cost_usd REAL
    ) STRICT""",
    "CREATE INDEX usage_of ON usage (message)",
    "CREATE INDEX usage_on ON usage (day, cost_usd)",
    """CREATE TABLE pins (
        id INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations,
        dataset_id TEXT NOT NULL,
        name TEXT NOT NULL,
        UNIQUE (conversation, dataset_id),
        UNIQUE (conversation, name)
    ) STRICT""",
    """CREATE TABLE defects (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        data TEXT NOT NULL,
        turno TEXT NOT NULL,
        operador TEXT NOT NULL,
        tipo_defeito TEXT NOT NULL,
        material TEXT NOT NULL,
        rack TEXT NOT NULL,
        posicao INTEGER NOT NULL
    ) STRICT""",
    # One row a key, as JSON: programs that change different settings do not meet.
    "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
)

# Defects from dropped files: a row of a file may lack what a reported defect always has, and keeps
# where it came from (`appended`, its row there and its own number), so that it is not added twice
# and can be taken out again.
_DEFECTS_FROM_FILES = (
    """CREATE TABLE appended (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        created INTEGER NOT NULL,
        dataset_id TEXT NOT NULL,
        file TEXT NOT NULL,
        shape TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE fresh_defects (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        data TEXT NOT NULL,
        turno TEXT,
        operador TEXT,
        tipo_defeito TEXT NOT NULL,
        material TEXT,
        rack TEXT,
        posicao INTEGER,
        appended INTEGER REFERENCES appended,
        file_row INTEGER,
        own_id TEXT
    ) STRICT""",
    """INSERT INTO fresh_defects
            (id, data, turno, operador, tipo_defeito, material, rack, posicao)
        SELECT id, data, turno, operador, tipo_defeito, material, rack, posicao FROM defects""",
    "DROP TABLE defects",
    "ALTER TABLE fresh_defects RENAME TO defects",
    "CREATE INDEX defects_appended ON defects (appended) WHERE appended IS NOT NULL",
    # How files with these columns are read as defects, as the person confirmed it: `shape` is
    # their names, `mapping` the columns of the fields and the meanings of words, both as JSON.
    """CREATE TABLE defect_mappings (
        shape TEXT PRIMARY KEY,
        mapping TEXT NOT NULL,
        confirmed INTEGER NOT NULL
    ) STRICT""",
)


# Questions that wait for Claude. `message` is the question in its conversation, once it was sent
# for the first time; `changed` is when its state was last another.
_OUTBOX = (
    """CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER NOT NULL REFERENCES conversations,
        user TEXT NOT NULL,
        text TEXT NOT NULL,
        created INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT NOT NULL DEFAULT '',
        message INTEGER REFERENCES messages
    ) STRICT""",
    """CREATE INDEX outbox_open ON outbox (id) WHERE state IN ('waiting', 'sending', 'failed')""",
    # An answer came while nobody looked.
    "ALTER TABLE conversations ADD COLUMN is_unread INTEGER NOT NULL DEFAULT 0",
)


# `words` is what a search looks through; `form` the version of the packing of `data`.
_DASHBOARDS = (
    """CREATE TABLE dashboards (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        author TEXT NOT NULL,
        agent TEXT NOT NULL,
        conversation INTEGER REFERENCES conversations,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        version INTEGER NOT NULL,
        visibility TEXT NOT NULL DEFAULT 'me',
        schedule TEXT NOT NULL DEFAULT '',
        refreshed INTEGER,
        query_count INTEGER NOT NULL DEFAULT 0,
        words TEXT NOT NULL DEFAULT '',
        thumbnail BLOB,
        is_deleted INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    "CREATE INDEX dashboards_made_in ON dashboards (conversation, title)",
    """CREATE TABLE dashboard_versions (
        dashboard INTEGER NOT NULL REFERENCES dashboards,
        version INTEGER NOT NULL,
        title TEXT NOT NULL,
        author TEXT NOT NULL,
        created INTEGER NOT NULL,
        form INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (dashboard, version)
    ) STRICT""",
    """CREATE TABLE dashboard_rows (
        dashboard INTEGER NOT NULL REFERENCES dashboards,
        query TEXT NOT NULL,
        position INTEGER NOT NULL,
        form INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (dashboard, query)
    ) STRICT""",
)


# What a word that may be read in several ways means in files with these columns, as the person
# chose: `shape` as of defect_mappings.
_READINGS = """CREATE TABLE readings (
    shape TEXT NOT NULL,
    word TEXT NOT NULL,
    reading TEXT NOT NULL,
    chosen INTEGER NOT NULL,
    PRIMARY KEY (shape, word)
) STRICT"""


# A request's parts are kept once for all requests; `last` is the latest one with this part.
_SENT = (
    """CREATE TABLE sent (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        created INTEGER NOT NULL,
        message INTEGER,
        host TEXT NOT NULL,
        path TEXT NOT NULL,
        model TEXT NOT NULL,
        size INTEGER NOT NULL,
        input_tokens INTEGER,
        output_tokens INTEGER,
        cache_read_tokens INTEGER,
        cache_write_tokens INTEGER,
        cost_usd REAL,
        manifest BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX sent_for ON sent (message)",
    "CREATE INDEX sent_at ON sent (created)",
    """CREATE TABLE sent_parts (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        last INTEGER NOT NULL,
        size INTEGER NOT NULL,
        content BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX sent_parts_last ON sent_parts (last)",
)


# Who has an account, and what anybody did. A conversation of owner 0 belongs to the station, which
# has no accounts. `failures` counts the wrong secrets of a name, whether it is an account or not.
_PEOPLE = (
    """CREATE TABLE people (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL,
        agents TEXT,
        secret TEXT NOT NULL,
        kind TEXT NOT NULL,
        is_disabled INTEGER NOT NULL DEFAULT 0,
        must_change INTEGER NOT NULL DEFAULT 0,
        generation INTEGER NOT NULL DEFAULT 0,
        created INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE failures (
        name TEXT PRIMARY KEY,
        count INTEGER NOT NULL,
        until INTEGER NOT NULL
    ) STRICT""",
    "ALTER TABLE conversations ADD COLUMN owner INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX conversations_of ON conversations (owner, updated) WHERE is_deleted = 0",
    # `hash` is over the entry and the hash before it, so that no entry changes unseen.
    """CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        person TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        detail TEXT NOT NULL,
        hash TEXT NOT NULL
    ) STRICT""",
    """CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN
        SELECT RAISE(ABORT, 'the audit log only grows');
    END""",
    """CREATE TRIGGER audit_holds BEFORE UPDATE ON audit BEGIN
        SELECT RAISE(ABORT, 'the audit log only grows');
    END""",
)


# What may be spent: `name` is the account's or the agent's, `warned` the day on which the period
# began in which somebody was warned.
_BUDGETS = """CREATE TABLE budgets (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    period TEXT NOT NULL,
    usd REAL NOT NULL,
    warned TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (scope, name, period)
) STRICT"""


# The most that a request under way may cost, for an answer: `usd` is NULL where nobody knows.
# `holder` is the mark of the program that asks (`OpenMark`): of one that has died, nothing counts.
_RESERVATIONS = """CREATE TABLE reservations (
    message INTEGER PRIMARY KEY REFERENCES messages,
    holder TEXT NOT NULL,
    model TEXT NOT NULL,
    usd REAL
) STRICT"""


# Agents as somebody has edited them. The version with the highest number holds; without `content`
# the agent was removed. Number 0 is what had shipped when it was first edited.
_AGENTS = """CREATE TABLE agent_versions (
    agent TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    person TEXT NOT NULL,
    note TEXT NOT NULL,
    content TEXT,
    PRIMARY KEY (agent, number)
) STRICT"""


# `subject` is the chart, whatever its version (`core.study.subject_of`); `label` is the point.
_POINT_NOTES = (
    """CREATE TABLE point_notes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        subject TEXT NOT NULL,
        label TEXT NOT NULL,
        cause TEXT NOT NULL,
        action TEXT NOT NULL,
        author TEXT NOT NULL,
        at INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX point_notes_of ON point_notes (subject, label)",
)


# `arguments`, `watched`, `found` and `rows` are JSON. `stream` is "" for the versions of a data
# set, which hold one another's points; each file of a folder is a stream of its own.
_MONITORS = (
    """CREATE TABLE monitors (
        id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, subject TEXT NOT NULL,
        arguments TEXT NOT NULL, watched TEXT NOT NULL, author TEXT NOT NULL,
        created INTEGER NOT NULL, is_stopped INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    """CREATE TABLE monitor_inputs (
        monitor INTEGER NOT NULL REFERENCES monitors, key TEXT NOT NULL, state TEXT NOT NULL,
        problem TEXT NOT NULL, looked INTEGER NOT NULL, PRIMARY KEY (monitor, key)
    ) STRICT""",
    """CREATE TABLE monitor_points (
        id INTEGER PRIMARY KEY AUTOINCREMENT, monitor INTEGER NOT NULL REFERENCES monitors,
        stream TEXT NOT NULL, label TEXT NOT NULL, value REAL, size REAL, distance REAL
    ) STRICT""",
    "CREATE INDEX monitor_points_of ON monitor_points (monitor, stream, id)",
    """CREATE TABLE violations (
        id INTEGER PRIMARY KEY AUTOINCREMENT, monitor INTEGER NOT NULL REFERENCES monitors,
        label TEXT NOT NULL, chart TEXT NOT NULL, rules TEXT NOT NULL, at INTEGER NOT NULL,
        found TEXT NOT NULL, rows TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX violations_of ON violations (monitor, label)",
)


def _first(db: sqlite3.Connection) -> None:
    for statement in _VERSION_1:
        db.execute(statement)


def _second(db: sqlite3.Connection) -> None:
    # A sheet that is in a conversation, but that no question is about.
    db.execute("ALTER TABLE pins ADD COLUMN is_used INTEGER NOT NULL DEFAULT 1")


def _third(db: sqlite3.Connection) -> None:
    for statement in _DEFECTS_FROM_FILES:
        db.execute(statement)


def _fourth(db: sqlite3.Connection) -> None:
    for statement in _OUTBOX:
        db.execute(statement)


def _fifth(db: sqlite3.Connection) -> None:
    for statement in _DASHBOARDS:
        db.execute(statement)


def _sixth(db: sqlite3.Connection) -> None:
    db.execute(_READINGS)


def _sent_requests(db: sqlite3.Connection) -> None:
    for statement in _SENT:
        db.execute(statement)


def _people(db: sqlite3.Connection) -> None:
    for statement in _PEOPLE:
        db.execute(statement)


def _budgets(db: sqlite3.Connection) -> None:
    db.execute(_BUDGETS)


def _agents(db: sqlite3.Connection) -> None:
    db.execute(_AGENTS)


def _estimates(db: sqlite3.Connection) -> None:
    """Mark the calls whose answer was left half way, whose usage is an estimate."""
    db.execute("ALTER TABLE usage ADD COLUMN is_estimated INTEGER NOT NULL DEFAULT 0")


def _point_notes(db: sqlite3.Connection) -> None:
    """Keep causes and actions noted on points of control charts, by chart and point."""
    for statement in _POINT_NOTES:
        db.execute(statement)


def _monitors(db: sqlite3.Connection) -> None:
    """Keep monitors, the points that they have judged, and violations."""
    for statement in _MONITORS:
        db.execute(statement)


# What a model was told of a data set in a conversation from which only aggregates may leave.
_TOLD_FIGURES = (
    """CREATE TABLE told_figures (
        id INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        dataset_id TEXT NOT NULL,
        figures TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX told_figures_of ON told_figures (conversation, dataset_id)",
)


def _told_figures(db: sqlite3.Connection) -> None:
    for statement in _TOLD_FIGURES:
        db.execute(statement)


def _reservations(db: sqlite3.Connection) -> None:
    """Keep what requests under way may cost, so that budgets hold for all programs at once."""
    db.execute(_RESERVATIONS)


def _waits(db: sqlite3.Connection) -> None:
    """Keep the waits of wrong secrets by the time since the computer's start, not by the clock.

    `wait_us` was left of a wait when that time was `uptime_us`; `pending` tries are being compared.
    How many were wrong is kept.
    """
    db.execute("ALTER TABLE failures RENAME TO clock_failures")
    db.execute(
        """CREATE TABLE failures (
            name TEXT PRIMARY KEY,
            count INTEGER NOT NULL,
            pending INTEGER NOT NULL,
            wait_us INTEGER NOT NULL,
            uptime_us INTEGER NOT NULL
        ) STRICT"""
    )
    db.execute("INSERT INTO failures SELECT name, count, 0, 0, 0 FROM clock_failures")
    db.execute("DROP TABLE clock_failures")


def _appended_by(db: sqlite3.Connection) -> None:
    """Keep whose append it was, as conversations do: 0 of the station, and of earlier versions."""
    db.execute("ALTER TABLE appended ADD COLUMN owner INTEGER NOT NULL DEFAULT 0")


# `data` is the packed question, `form` the version of the packing.
_QUESTIONS = (
    """CREATE TABLE questions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
        call_id TEXT NOT NULL,
        state TEXT NOT NULL,
        created INTEGER NOT NULL,
        form INTEGER NOT NULL,
        data TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX questions_of ON questions (conversation)",
    "CREATE INDEX questions_in ON questions (message)",
    "CREATE INDEX questions_undone ON questions (id) WHERE state IN ('open', 'expired')",
)


def _questions(db: sqlite3.Connection) -> None:
    """Keep the questions that answers have asked the person."""
    for statement in _QUESTIONS:
        db.execute(statement)


# Notes about a person, and their versions. Where a version was written goes with the conversation,
# the note stays. `refused_services` are those that a person lets no note go to.
_MEMORIES = (
    """CREATE TABLE memories (
        id INTEGER PRIMARY KEY,
        owner INTEGER NOT NULL,
        person INTEGER GENERATED ALWAYS AS (nullif(owner, 0)) STORED
            REFERENCES people ON DELETE CASCADE,
        path TEXT NOT NULL,
        text TEXT NOT NULL,
        origin TEXT NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        used INTEGER NOT NULL,
        is_pinned INTEGER NOT NULL DEFAULT 0,
        is_archived INTEGER NOT NULL DEFAULT 0,
        UNIQUE (owner, path)
    ) STRICT""",
    """CREATE TABLE memory_versions (
        id INTEGER PRIMARY KEY,
        memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
        path TEXT NOT NULL,
        text TEXT NOT NULL,
        at INTEGER NOT NULL,
        is_first INTEGER NOT NULL,
        conversation INTEGER REFERENCES conversations ON DELETE CASCADE,
        message INTEGER REFERENCES messages ON DELETE CASCADE,
        call TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX memories_of ON memories (person)",
    "CREATE INDEX memory_versions_of ON memory_versions (memory, id)",
    "CREATE INDEX memory_versions_in ON memory_versions (conversation, call)",
    "CREATE INDEX memory_versions_by ON memory_versions (message)",
    """CREATE TABLE refused_services (
        owner INTEGER NOT NULL,
        person INTEGER GENERATED ALWAYS AS (nullif(owner, 0)) STORED
            REFERENCES people ON DELETE CASCADE,
        host TEXT NOT NULL,
        PRIMARY KEY (owner, host)
    ) STRICT""",
)


def _memories(db: sqlite3.Connection) -> None:
    for statement in _MEMORIES:
        db.execute(statement)


# What a tool wrote for a call, with its result, so that no call writes twice.
_EFFECTS = """CREATE TABLE effects (
    conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    call TEXT NOT NULL,
    message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
    result TEXT NOT NULL,
    PRIMARY KEY (conversation, call)
) STRICT"""
# Rows of damaged messages as they were found, as JSON, before they were repaired or set apart.
_DAMAGED = """CREATE TABLE damaged (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
    at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    row TEXT NOT NULL
) STRICT"""


def _digests(db: sqlite3.Connection) -> None:
    """Keep a digest of each message, what calls have written, and what was found damaged.

    Beside what an answer took stand the service's own ids of it, for complaints alone.
    """
    for statement in (*DIGEST_TABLE, _EFFECTS, "CREATE INDEX effects_of ON effects (message)"):
        db.execute(statement)
    db.execute(_DAMAGED)
    db.execute("CREATE INDEX damaged_of ON damaged (conversation)")
    for column in ("request_id", "response_id"):
        db.execute(f"ALTER TABLE usage ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    record_all_digests(db)


# What goes with a person or a conversation. `person` is the owner as a foreign key knows them: NULL
# for the station. What stays is the plant's: sums of the costs, and what others see, under the
# number of the account instead of its name; no account can be called so.
_DELETION = (
    """ALTER TABLE conversations ADD COLUMN person INTEGER
        GENERATED ALWAYS AS (nullif(owner, 0)) VIRTUAL REFERENCES people ON DELETE CASCADE""",
    "ALTER TABLE conversations ADD COLUMN deleted INTEGER",
    "ALTER TABLE usage ADD COLUMN agent TEXT NOT NULL DEFAULT ''",
    # Whose files may go from the workspace, once no conversation has them.
    "CREATE TABLE released_datasets (dataset_id TEXT PRIMARY KEY) STRICT",
    """CREATE TRIGGER pins_deleted AFTER DELETE ON pins BEGIN
        INSERT OR IGNORE INTO released_datasets VALUES (old.dataset_id);
    END""",
    """CREATE TRIGGER pins_replaced AFTER UPDATE OF dataset_id ON pins BEGIN
        INSERT OR IGNORE INTO released_datasets VALUES (old.dataset_id);
    END""",
    "CREATE INDEX conversations_with ON conversations (person)",
    "CREATE INDEX refused_services_of ON refused_services (person)",
    "CREATE INDEX messages_of ON messages (conversation)",
    "CREATE INDEX outbox_of ON outbox (conversation)",
    "CREATE INDEX outbox_in ON outbox (message)",
    """CREATE TRIGGER people_leaving BEFORE DELETE ON people BEGIN
        DELETE FROM dashboards
            WHERE author = old.name AND (visibility = 'me' OR is_deleted = 1);
        UPDATE dashboards SET author = '#' || old.id WHERE author = old.name;
        UPDATE dashboard_versions SET author = '#' || old.id WHERE author = old.name;
        UPDATE monitors SET author = '#' || old.id WHERE author = old.name;
        UPDATE point_notes SET author = '#' || old.id WHERE author = old.name;
        UPDATE agent_versions SET person = '#' || old.id WHERE person = old.name;
        UPDATE appended SET owner = 0 WHERE owner = old.id;
        DELETE FROM budgets WHERE scope = 'person' AND name = old.name;
        DELETE FROM failures WHERE name = old.name;
        DELETE FROM state WHERE key LIKE 'draft/%@' || old.id
            OR key LIKE 'patterns/' || old.id || '/%';
    END""",
    # A dashboard that stays has its data through its conversation: a bare one with the same id
    # (`is_deleted` is 2) holds the data sets from then on. Not before the former has let go of it.
    """CREATE TRIGGER conversations_leaving BEFORE DELETE ON conversations BEGIN
        UPDATE usage SET agent = old.agent
            WHERE message IN (SELECT id FROM messages WHERE conversation = old.number);
        DELETE FROM state WHERE key = 'draft/' || old.id;
        INSERT INTO conversations (id, agent, owner, created, updated, is_deleted)
            SELECT '-' || old.id, old.agent,
                CASE WHEN EXISTS (SELECT 1 FROM people WHERE id = old.owner) THEN old.owner
                    ELSE 0 END, old.created, old.updated, 2
            WHERE EXISTS (SELECT 1 FROM dashboards d JOIN dashboard_versions v
                ON v.dashboard = d.number AND v.version = d.version WHERE d.is_deleted = 0
                AND (d.conversation = old.number OR instr(v.data, old.id)));
        UPDATE pins SET conversation = (SELECT number FROM conversations WHERE id = '-' || old.id)
            WHERE conversation = old.number
            AND EXISTS (SELECT 1 FROM conversations WHERE id = '-' || old.id);
        UPDATE dashboards
            SET conversation = (SELECT number FROM conversations WHERE id = '-' || old.id)
            WHERE conversation = old.number;
    END""",
    """CREATE TRIGGER conversations_left AFTER DELETE ON conversations BEGIN
        UPDATE conversations SET id = old.id WHERE id = '-' || old.id;
    END""",
)
# Tables of earlier versions that refer to a conversation, a message or a dashboard.
_REFERRING = (
    *("messages", "blocks", "texts", "usage", "pins", "outbox", "reservations", "sent"),
    *("dashboards", "dashboard_versions", "dashboard_rows"),
)
_SET_NULL = {("usage", "messages"), ("dashboards", "conversations")}
_FORMER_REFERENCE = re.compile(r"(?:\s+NOT\s+NULL)?\s+REFERENCES\s+(\w+)\b(?!\s+ON\s+DELETE)")


def _deletion(db: sqlite3.Connection) -> None:
    """Let a person or a conversation go with all that is theirs, by foreign keys.

    Those of earlier versions get an action in the schema's text: nothing that the file has of
    their tables changes (https://sqlite.org/lang_altertable.html, 7), and no table is rebuilt.
    """
    # A repair may have lost the account, or the message that a request was sent for.
    db.execute("UPDATE conversations SET owner = 0 WHERE owner NOT IN (SELECT id FROM people)")
    db.execute("DELETE FROM sent WHERE message NOT IN (SELECT id FROM messages)")
    db.execute("PRAGMA writable_schema = ON")
    for table in _REFERRING:
        (sql,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        if table == "sent":  # it had no foreign key yet
            changed = re.sub(r"message\s+INTEGER,", "message INTEGER REFERENCES messages,", sql)
        else:
            changed = sql
        changed = _FORMER_REFERENCE.sub(partial(_with_action, table), changed)
        db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (changed, table))
    db.execute("PRAGMA writable_schema = RESET")  # read anew; other programs see the changes below
    for statement in _DELETION:
        db.execute(statement)


def _with_action(table: str, found: re.Match[str]) -> str:
    """Write a foreign key with what happens to the row once what it refers to is gone."""
    if (table, found[1]) in _SET_NULL:
        return f" REFERENCES {found[1]} ON DELETE SET NULL"
    return f"{found[0]} ON DELETE CASCADE"


# What was read of the documents stands in a file of its own (`store/document_index.py`). An empty
# list of roles or agents stands for all of them.
_DOCUMENTS = (
    """CREATE TABLE collections (
        name TEXT PRIMARY KEY, roles TEXT NOT NULL, agents TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE documents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        sha256 TEXT NOT NULL,
        file TEXT NOT NULL,
        path TEXT NOT NULL DEFAULT '',
        collection TEXT NOT NULL DEFAULT '',
        parent INTEGER REFERENCES documents ON DELETE CASCADE,
        replaced_by INTEGER REFERENCES documents ON DELETE SET NULL,
        added INTEGER NOT NULL,
        ocr TEXT NOT NULL,
        is_watched INTEGER NOT NULL DEFAULT 0,
        format TEXT NOT NULL DEFAULT '',
        title TEXT NOT NULL DEFAULT '',
        pages INTEGER,
        code TEXT NOT NULL DEFAULT '',
        code_key TEXT NOT NULL DEFAULT '',
        revision TEXT NOT NULL DEFAULT '',
        issued TEXT NOT NULL DEFAULT '',
        customer TEXT NOT NULL DEFAULT '',
        is_edited INTEGER NOT NULL DEFAULT 0,
        error TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE UNIQUE INDEX documents_once ON documents (sha256, collection, ifnull(parent, 0))",
    "CREATE INDEX documents_in ON documents (parent)",
    "CREATE INDEX documents_replaced ON documents (replaced_by)",
    "CREATE INDEX documents_called ON documents (code_key) WHERE code_key <> ''",
    "CREATE INDEX documents_from ON documents (path) WHERE path <> ''",
    """CREATE TABLE watched_folders (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        path TEXT NOT NULL UNIQUE,
        collection TEXT NOT NULL
    ) STRICT""",
    # `modified` in nanoseconds; `sha256` is empty until the file was read.
    """CREATE TABLE watched_files (
        folder INTEGER NOT NULL REFERENCES watched_folders ON DELETE CASCADE,
        path TEXT NOT NULL,
        size INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        sha256 TEXT NOT NULL DEFAULT '',
        is_gone INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (folder, path)
    ) STRICT""",
    "CREATE INDEX watched_files_of ON watched_files (sha256)",
)


def _documents(db: sqlite3.Connection) -> None:
    """Keep the plant's documents, their collections, and what was seen in watched folders."""
    for statement in _DOCUMENTS:
        db.execute(statement)


def _handed_answers(db: sqlite3.Connection) -> None:
    """Let another program answer a question that an answer still waits for.

    `holder` is the mark of the program that waits (`OpenMark`), `answer` what another has given.
    """
    db.execute("ALTER TABLE questions ADD COLUMN holder TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE questions ADD COLUMN answer TEXT")


# What people say of answers, what they do with them, what judges found, and what teaches. Signals
# are nobody's: added up by agent and day. `calls` and `votes` are JSON; of an example no figure is
# kept, so that it stays where the conversation that it comes of is gone.
_FEEDBACK = (
    """CREATE TABLE feedback (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        message INTEGER NOT NULL UNIQUE REFERENCES messages ON DELETE CASCADE,
        rating INTEGER NOT NULL,
        reason TEXT NOT NULL,
        text TEXT NOT NULL,
        created INTEGER NOT NULL,
        resolved INTEGER,
        note TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX feedback_of ON feedback (conversation)",
    """CREATE TABLE signals (
        day TEXT NOT NULL,
        agent TEXT NOT NULL,
        workflow TEXT NOT NULL,
        kind TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (day, agent, workflow, kind)
    ) STRICT""",
    """CREATE TABLE judgements (
        message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
        judge TEXT NOT NULL,
        at INTEGER NOT NULL,
        is_good INTEGER NOT NULL,
        why TEXT NOT NULL,
        votes TEXT NOT NULL,
        PRIMARY KEY (message, judge)
    ) STRICT""",
    """CREATE TABLE examples (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        agent TEXT NOT NULL,
        version INTEGER NOT NULL,
        state TEXT NOT NULL,
        question TEXT NOT NULL,
        plan TEXT NOT NULL,
        calls TEXT NOT NULL,
        answer TEXT NOT NULL,
        note TEXT NOT NULL,
        created INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX examples_of ON examples (agent, state)",
)


def _feedback(db: sqlite3.Connection) -> None:
    """Keep what people say of answers, signals, judgements and examples."""
    for statement in _FEEDBACK:
        db.execute(statement)


# What the guard did with questions. It outlives the conversation, and goes with the account.
_MODERATION = (
    """CREATE TABLE moderation (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        created INTEGER NOT NULL,
        owner INTEGER NOT NULL,
        person INTEGER GENERATED ALWAYS AS (nullif(owner, 0)) STORED
            REFERENCES people ON DELETE CASCADE,
        conversation INTEGER REFERENCES conversations ON DELETE SET NULL,
        category TEXT NOT NULL,
        rule TEXT NOT NULL,
        action TEXT NOT NULL,
        excerpt TEXT NOT NULL,
        review TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX moderation_by ON moderation (person)",
    "CREATE INDEX moderation_of ON moderation (conversation)",
)


def _moderation(db: sqlite3.Connection) -> None:
    """Keep what the guard did with questions."""
    for statement in _MODERATION:
        db.execute(statement)


# The file's version is how many of these it has seen. Only ever add to the end.
MIGRATIONS: tuple[Migration, ...] = (
    _first,
    _second,
    _third,
    _fourth,
    _fifth,
    _sixth,
    _sent_requests,
    _people,
    _budgets,
    _agents,
    _estimates,
    _point_notes,
    _monitors,
    _told_figures,
    _reservations,
    _waits,
    _appended_by,
    _questions,
    _memories,
    _digests,
    _deletion,
    _documents,
    _handed_answers,
    _feedback,
    _moderation,
)


def version_of(db: sqlite3.Connection) -> int:
    """Return how many migrations the file has seen; 0 for a new one."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version


RowPlace = tuple[int, int]  # a table, and a row of it
FIRST_ROW: RowPlace = (0, 0)
SWEPT_CHARACTERS = 1_000_000  # in one step: 10 ms
SWEPT_ROWS = 2_000


def hide_secrets_from(db: sqlite3.Connection, place: RowPlace) -> tuple[RowPlace | None, int]:
    """Take secrets out of the next rows; return where to go on, and how many texts were changed.

    An earlier version stored what a service said as it came, and some echo the key. The settings
    are the person's own, and may need their password; the audit log only grows.
    """
    tables = _texts_by_table(db)
    table, last = place
    if table >= len(tables):
        return None, 0
    name, columns = tables[table]
    db.execute("BEGIN IMMEDIATE")
    try:
        changed: list[tuple[str, str, int]] = []
        seen = 0
        found = db.execute(
            f"SELECT rowid, {', '.join(columns)} FROM {name} WHERE rowid > ? ORDER BY rowid",
            (last,),
        )
        for rows, (last, *texts) in enumerate(found, start=1):
            for column, text in zip(columns, texts, strict=True):
                if isinstance(text, str):
                    seen += len(text)
                    if (clean := hide_stored_secrets(text)) != text:
                        changed.append((column, clean, last))
            if seen > SWEPT_CHARACTERS or rows >= SWEPT_ROWS:
                break
        else:
            table, last = table + 1, 0
        found.close()
        for column, clean, row in changed:
            db.execute(f"UPDATE OR IGNORE {name} SET {column} = ? WHERE rowid = ?", (clean, row))
        if name == "blocks":
            _record_again(db, [row for _column, _clean, row in changed])
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    return (table, last), len(changed)


def _record_again(db: sqlite3.Connection, rows: list[int]) -> None:
    """Record anew the messages of these rows of blocks, where the file has digests."""
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'digests'").fetchone():
        return
    for row in rows:
        (message,) = db.execute("SELECT message FROM blocks WHERE rowid = ?", (row,)).fetchone()
        record_digest(db, message)


def erase_freed(db: sqlite3.Connection) -> bool:
    """Write the file anew, without what was in it once: replaced texts, words of the search.

    Return whether its log was emptied, too: not while another program reads it.
    """
    for search in ("text_search", "title_search"):
        db.execute(f"INSERT INTO {search} ({search}) VALUES ('rebuild')")
    db.execute("VACUUM")
    (is_busy, *_pages) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy


def _texts_by_table(db: sqlite3.Connection) -> list[tuple[str, list[str]]]:
    named = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    found = []
    for (name,) in named.fetchall():
        described = db.execute(f"PRAGMA table_info({name})")
        texts = [f'"{column}"' for _at, column, kind, *_more in described if kind == "TEXT"]
        if texts and name not in ("settings", "audit"):
            found.append((name, texts))
    return found
