//! Asking okstra about the histories of a repository, by every door of the library.

use okstra::context::{Context, Environment};
use okstra::domain::equivalence::{Candidate, ContentMerged, Verdict, fingerprint};
use okstra::domain::ids::CommitId;
use okstra::git::{History, Limits, Repository, Span};
use okstra::ops::content_merged::{Options, run};
use okstra::ops::equivalence::{Question, ask, ask_all, ask_recorded, fingerprints};

use super::judge::{Fault, Known};
use super::model::differing;
use super::oracle::Certainty;
use super::repository::Histories;
use super::truth::Query;
use super::world::World;

/// One repository, opened.
pub(super) struct Opened {
    repository: Repository,
    context: Context,
}

/// Who asks about its histories, and remembers between questions what okstra remembers.
pub(super) struct Asker<'o> {
    histories: &'o Histories,
    context: &'o Context,
    history: History<'o>,
}

impl Opened {
    pub(super) fn new(histories: &Histories) -> Self {
        let repository = Repository::discover(&histories.folder).expect("a repository");
        let context = Context::new(&histories.folder, Environment::default());
        Self { repository, context }
    }

    pub(super) fn asker<'o>(&'o self, histories: &'o Histories) -> Asker<'o> {
        Asker { histories, context: &self.context, history: History::new(&self.repository) }
    }
}

impl Asker<'_> {
    fn candidate(&self, world: &World, number: usize) -> Candidate {
        Candidate { name: "refs/heads/main".to_owned(), commit: self.histories.ids[number][world.main] }
    }

    /// The answer to one question about the history with this number.
    pub(super) fn ask(&mut self, world: &World, number: usize, query: &Query) -> ContentMerged {
        let ids = &self.histories.ids[number];
        let head = ids[query.head];
        let Some(base) = query.base else {
            let (commit, candidate) = (head.to_string(), ids[world.main].to_string());
            let options = Options { commit, candidate, ..Options::default() };
            return run(self.context, &options).expect("an answer");
        };
        let carriers = query.carrier.iter().map(|&carrier| Span { base: ids[world.fork], head: ids[carrier] });
        let question = Question {
            candidate: self.candidate(world, number),
            span: Span { base: ids[base], head },
            carriers: carriers.collect(),
        };
        ask(self.context, &mut self.history, &question, Limits::default()).expect("an answer")
    }

    /// All the questions that name a base, asked at once: the same answers?
    pub(super) fn ask_together(
        &mut self,
        world: &World,
        number: usize,
        asked: &[(Query, ContentMerged)],
    ) -> Vec<(Fault, String)> {
        let ids = &self.histories.ids[number];
        let alone: Vec<(Span, &ContentMerged)> = asked
            .iter()
            .filter(|(query, _)| query.carrier.is_none())
            .filter_map(|(query, answer)| Some((Span { base: ids[query.base?], head: ids[query.head] }, answer)))
            .collect();
        let spans: Vec<Span> = alone.iter().map(|(span, _)| *span).collect();
        let candidate = self.candidate(world, number);
        let together = ask_all(self.context, &mut self.history, &candidate, &spans, Limits::default());
        let together = together.expect("answers");
        let differs = |((_, alone), together): &(&(Span, &ContentMerged), &ContentMerged)| *alone != *together;
        let pairs = alone.iter().zip(&together).filter(differs);
        pairs.map(|((_, alone), together)| (Fault::OtherDoor, format!("{alone:?}\n{together:?}"))).collect()
    }

    /// What a done record's digests say once the commits are gone, against the truth and what the model knows.
    pub(super) fn compare_fingerprint(
        &mut self,
        world: &World,
        number: usize,
        query: &Query,
        known: &Known,
    ) -> Option<(Fault, String)> {
        let (ids, base) = (&self.histories.ids[number], query.base?);
        let span = Span { base: ids[base], head: ids[query.head] };
        let content = fingerprints(&mut self.history, span).expect("fingerprints")?;
        let text = serde_json::to_string(&content).expect("a record");
        let content: fingerprint::Content = serde_json::from_str(&text).expect("the record again");
        let (candidate, from) = (self.candidate(world, number), (&content, Some(span.base)));
        let answer = ask_recorded(self.context, &mut self.history, &candidate, from, Limits::default());
        let answer = answer.expect("an answer");
        let findings = known.findings.first()?;
        let place = |id: CommitId| ids.iter().position(|other| *other == id);
        let proved = |commit: usize| {
            let mut places = findings.same_change.iter().chain(&findings.per_commit);
            places.any(|&(place, sure)| place == commit && sure != Certainty::No)
        };
        let net = differing(&world.commits[base].tree, &world.commits[query.head].tree);
        let is_alone = |commit: usize| {
            let before = &world.commits[world.commits[commit].parents[0]].tree;
            let paths = differing(before, &world.commits[commit].tree);
            paths.iter().all(|path| !content.paths.contains(path) || net.contains(path))
        };
        let fault = match answer.matched_commit.and_then(place) {
            Some(commit) => !proved(commit),
            None => findings.same_change.iter().any(|&(place, _)| is_alone(place)),
        };
        let truth = world.truth(query);
        let is_wrong = answer.verdict == Verdict::Contained && !truth.may_be_contained;
        let fault = match (fault, is_wrong, truth.is_gone) {
            (true, ..) => Fault::Fingerprint,
            (_, true, true) => Fault::GoneAgain,
            (_, true, false) => Fault::Dangerous,
            _ => return None,
        };
        Some((fault, format!("{answer:?}, {findings:?}")))
    }
}
