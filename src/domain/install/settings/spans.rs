//! Where things stand in a text of JSON.

use serde_json::Value;

use super::Fault;

/// What a settings file holds, as far as okstra looks.
#[derive(Debug)]
pub(super) struct Spans {
    /// The whole object.
    pub(super) root: Members,
    /// `permissions` in it.
    pub(super) permissions: Option<Members>,
    /// `allow` in that.
    pub(super) allow: Option<Members>,
}

/// The members of an object, or the entries of a list.
#[derive(Debug)]
pub(super) struct Members {
    /// Right behind the opening bracket.
    pub(super) open: usize,
    /// Right before the closing one.
    pub(super) close: usize,
    pub(super) members: Vec<Member>,
}

/// One of them: from its name, where it has one, to the end of its value.
#[derive(Debug)]
pub(super) struct Member {
    /// The name of a member; of an entry that is a text, that text.
    pub(super) name: String,
    pub(super) start: usize,
    value: usize,
    pub(super) end: usize,
}

impl Spans {
    pub(super) fn read(text: &str) -> Result<Self, Fault> {
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        check(text, start)?;
        let scan = Scan { text };
        let at = scan.skip_space(start);
        let root = scan.object(at, "settings are an object")?;
        let permissions = match root.only(&scan, "permissions")? {
            Some(member) => Some(scan.object(member.value, "`permissions` has to be an object")?),
            None => None,
        };
        let allow = match &permissions {
            Some(permissions) => match permissions.only(&scan, "allow")? {
                Some(member) => Some(scan.list(member.value)?),
                None => None,
            },
            None => None,
        };
        Ok(Self { root, permissions, allow })
    }

    /// What is allowed.
    pub(super) fn allowed(&self) -> Vec<String> {
        self.allow.iter().flat_map(|allow| &allow.members).map(|member| member.name.clone()).collect()
    }
}

impl Members {
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }

    /// The member of that name; two of it are a fault, since programs differ in which of them counts.
    fn only(&self, scan: &Scan<'_>, name: &str) -> Result<Option<&Member>, Fault> {
        let mut found = self.members.iter().filter(|member| member.name == name);
        match (found.next(), found.next()) {
            (_, Some(second)) => Err(scan.fault(second.start, format!("`{name}` stands there twice"))),
            (first, None) => Ok(first),
        }
    }
}

/// Refuses what is no JSON.
fn check(text: &str, start: usize) -> Result<(), Fault> {
    let Err(error) = serde_json::from_str::<Value>(&text[start..]) else { return Ok(()) };
    let what = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = format!("it is not JSON: {}", what.strip_suffix(&place).unwrap_or(&what));
    Err(Fault { line: error.line().max(1), column: error.column().max(1), what, is_json: false })
}

/// A text that is known to be JSON.
struct Scan<'t> {
    text: &'t str,
}

impl Scan<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(b'}')
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while self.byte(at).is_ascii_whitespace() {
            at += 1;
        }
        at
    }

    /// The end of the text that begins at `at`.
    fn end_of_text(&self, at: usize) -> usize {
        let mut end = at + 1;
        while end < self.text.len() && self.byte(end) != b'"' {
            end += if self.byte(end) == b'\\' { 2 } else { 1 };
        }
        (end + 1).min(self.text.len())
    }

    /// The end of the value that begins at `at`.
    fn end_of_value(&self, at: usize) -> usize {
        let (mut end, mut depth) = (at, 0_usize);
        while end < self.text.len() {
            match self.byte(end) {
                b'"' => {
                    end = self.end_of_text(end);
                    if depth == 0 {
                        return end;
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth <= 1 => return if depth == 0 { end } else { end + 1 },
                b'}' | b']' => depth -= 1,
                byte if depth == 0 && (byte == b',' || byte.is_ascii_whitespace()) => return end,
                _ => {}
            }
            end += 1;
        }
        end
    }

    fn text_at(&self, at: usize) -> Option<String> {
        (self.byte(at) == b'"').then(|| serde_json::from_str(&self.text[at..self.end_of_text(at)]).ok()).flatten()
    }

    fn object(&self, at: usize, expected: &str) -> Result<Members, Fault> {
        if self.byte(at) != b'{' {
            return Err(self.fault(at, expected.to_owned()));
        }
        Ok(self.members(at, true))
    }

    fn list(&self, at: usize) -> Result<Members, Fault> {
        if self.byte(at) != b'[' {
            return Err(self.fault(at, "`permissions.allow` has to be a list".to_owned()));
        }
        let members = self.members(at, false);
        match members.members.iter().find(|member| self.byte(member.start) != b'"') {
            Some(other) => Err(self.fault(other.start, "`permissions.allow` has to be a list of texts".to_owned())),
            None => Ok(members),
        }
    }

    fn members(&self, at: usize, is_object: bool) -> Members {
        let (open, mut members) = (at + 1, Vec::new());
        let mut at = self.skip_space(open);
        while !matches!(self.byte(at), b'}' | b']') {
            let name = self.text_at(at).unwrap_or_default();
            let value = if is_object { self.skip_space(self.skip_space(self.end_of_text(at)) + 1) } else { at };
            let end = self.end_of_value(value);
            members.push(Member { name, start: at, value, end });
            at = self.skip_space(end);
            if self.byte(at) == b',' {
                at = self.skip_space(at + 1);
            }
        }
        Members { open, close: at, members }
    }

    fn fault(&self, at: usize, what: String) -> Fault {
        let before = &self.text[..at];
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
        Fault { line, column, what, is_json: true }
    }
}
