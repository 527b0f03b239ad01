//! What the files of the scratch project hold.

/// The project as it begins.
pub(super) const LOGIN: &str = "\
def login(user, password):
    if not user:
        return None
    return find(user, password)


def logout(session):
    session.close()


def find(user, password):
    return database.lookup(user, password)
";

/// The first commit of Ada's work.
pub(super) const CHECKED: &str = "\
def login(user, password):
    if not user or not password:
        raise MissingCredentials()
    return find(user, password)


def logout(session):
    session.close()


def find(user, password):
    return database.lookup(user, password)
";

/// The second.
pub(super) const CHECKED_AND_AUDITED: &str = "\
def login(user, password):
    if not user or not password:
        raise MissingCredentials()
    return find(user, password)


def logout(session):
    session.close()
    audit(session)


def find(user, password):
    return database.lookup(user, password)
";

/// The test that comes with it.
pub(super) const TEST: &str = "\
def test_login_needs_a_password():
    with raises(MissingCredentials):
        login('ada', '')
";

/// What main makes of it meanwhile.
pub(super) const HASHED: &str = "\
def login(user, password):
    if not user:
        return None
    return find(user, password)


def logout(session):
    session.close()


def find(user, password):
    return database.lookup(user, hashed(password))
";

/// Stage 1.
pub(super) const FIRST: &str = "\
def login(user, password):
    if not user or not password:
        raise MissingCredentials()
    return find(user, password)


def logout(session):
    session.close()


def find(user, password):
    return database.lookup(user, hashed(password))
";

/// Stage 2, beside it.
pub(super) const LOCKS: &str = "\
def check(user):
    if failures(user) >= 5:
        raise Locked(user)
";

/// What main makes of the file meanwhile.
pub(super) const HASHED_AND_GREETING: &str = "\
def login(user, password):
    if not user:
        return None
    return find(user, password)


def logout(session):
    session.close()


def find(user, password):
    return database.lookup(user, hashed(password))


def greet(user):
    return 'Hello, ' + user
";

/// Stage 3, on all of that.
pub(super) const THIRD: &str = "\
def login(user, password):
    if not user or not password:
        raise MissingCredentials()
    return find(user, password)


def logout(session):
    session.close()
    audit(session)


def find(user, password):
    return database.lookup(user, hashed(password))


def greet(user):
    return 'Hello, ' + user
";

/// What stage 3 brings besides.
pub(super) const AUDIT: &str = "\
def audit(session):
    log.info('logout')
";

/// What a reviewer makes of it.
pub(super) const AUDIT_REVIEWED: &str = "\
def audit(session):
    log.info('logout of %s', session.user)
";
