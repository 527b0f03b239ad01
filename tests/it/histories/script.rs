//! A counterexample as a shell script that rebuilds it with plain git.

use super::model::{Tree, differing};
use super::truth::Query;
use super::world::World;

const HEAD: &str = r#"set -e; rm -rf counterexample; git init -q counterexample; cd counterexample
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com
put() { git update-index --add --cacheinfo "$1,$(printf "$3" | git hash-object -w --stdin),$2"; }
drop() { git update-index --force-remove "$1"; }
"#;

/// The script for `world`, which ends by asking `query`.
pub(super) fn script(world: &World, query: &Query) -> String {
    let wanted = [query.head, world.main].into_iter().chain(query.base).chain(query.carrier);
    let wanted = wanted.fold(0, |set, commit| set | world.history(commit));
    let mut script = HEAD.to_owned();
    for place in world.members(wanted) {
        let commit = &world.commits[place];
        let parent = commit.parents.first();
        let nothing = Tree::new();
        let before: &Tree = parent.map_or(&nothing, |&parent| &world.commits[parent].tree);
        script += &match parent {
            Some(parent) => format!("git read-tree $c{parent}\n"),
            None => "git read-tree --empty\n".to_owned(),
        };
        for path in differing(before, &commit.tree) {
            script += &match commit.tree.get(&path) {
                None => format!("drop '{path}'\n"),
                Some(file) => format!("put {} '{path}' '{}'\n", file.mode(), escaped(&file.body.bytes())),
            };
        }
        let parents: String = commit.parents.iter().map(|parent| format!(" -p $c{parent}")).collect();
        let time = commit.time;
        script += &format!(
            "c{place}=$(GIT_AUTHOR_DATE='{time} +0000' GIT_COMMITTER_DATE='{time} +0000' \
             git commit-tree $(git write-tree){parents} -m '{}')\n",
            commit.subject
        );
    }
    let base = query.base.map(|base| format!(" --base $c{base}")).unwrap_or_default();
    script += &format!("git update-ref refs/heads/candidate $c{}\n", world.main);
    script +=
        &format!("okstra content-merged --commit $c{} --candidate refs/heads/candidate{base} --json\n", query.head);
    if let Some(carrier) = query.carrier {
        script += &format!("# with the carrier from $c{} to $c{carrier}, which only the library takes\n", world.fork);
    }
    script
}

fn escaped(bytes: &[u8]) -> String {
    let one = |&byte: &u8| match byte {
        b'\n' => "\\n".to_owned(),
        b'%' => "%%".to_owned(),
        b' '..=b'~' if byte != b'\\' && byte != b'\'' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    bytes.iter().map(one).collect()
}
