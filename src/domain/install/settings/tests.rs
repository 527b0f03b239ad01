//! Settings of every shape: what is put in comes out without a trace.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn entries(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// What is there after putting `x` and `y` in, which comes out again without a trace.
fn put(text: &str) -> String {
    let offered = entries(&["x", "y"]);
    let edit = put_in(Some(text), &Own::default(), &offered).unwrap();
    let new = edit.text.clone().unwrap();
    assert_eq!(take_out(&new, &edit.own).unwrap().text.as_deref(), Some(text), "{new}");
    let again = put_in(Some(&new), &edit.own, &offered).unwrap();
    assert_eq!((again.text.as_deref(), again.added.len(), &again.own), (Some(new.as_str()), 0, &edit.own));
    // Also entry by entry, where the inserted text no longer stands as it was; then white space may differ.
    let own = Own { inserted: "changed".to_owned(), ..edit.own };
    let without = take_out(&new, &own).unwrap().text.unwrap();
    let value = |text: &str| serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')).unwrap();
    assert_eq!(value(&without), value(text), "{without}");
    new
}

#[test]
fn entries_follow_the_layout_that_is_there() {
    let cases = [
        ("{}", "{\n  \"permissions\": {\n    \"allow\": [\n      \"x\",\n      \"y\"\n    ]\n  }\n}"),
        ("{\n}\n", "{\n  \"permissions\": {\n    \"allow\": [\n      \"x\",\n      \"y\"\n    ]\n  }\n}\n"),
        ("{\"a\": 1}", "{\"a\": 1, \"permissions\": {\"allow\": [\"x\", \"y\"]}}"),
        (
            "{\n\t\"a\": [1,\n2]\n}",
            "{\n\t\"a\": [1,\n2],\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"x\",\n\t\t\t\"y\"\n\t\t]\n\t}\n}",
        ),
        (
            "{\r\n    \"permissions\": {\r\n        \"deny\": []\r\n    }\r\n}\r\n",
            "{\r\n    \"permissions\": {\r\n        \"deny\": [],\r\n        \"allow\": [\r\n            \"x\",\r\n            \"y\"\r\n        ]\r\n    }\r\n}\r\n",
        ),
        (
            "{\n  \"permissions\": {}\n}",
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"x\",\n      \"y\"\n    ]\n  }\n}",
        ),
        (
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"b\" ,\n      \"a\"\n    ]\n  },\n  \"z\": 1\n}",
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"b\" ,\n      \"a\",\n      \"x\",\n      \"y\"\n    ]\n  },\n  \"z\": 1\n}",
        ),
        ("{\"permissions\":{\"allow\":[\"b\"]}}", "{\"permissions\":{\"allow\":[\"b\", \"x\", \"y\"]}}"),
        (
            "{\n  \"permissions\": {\n    \"allow\": [\n    ]\n  }\n}",
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"x\",\n      \"y\"\n    ]\n  }\n}",
        ),
        (
            "{\n  \"permissions\": {\n    \"allow\": [ ]\n  }\n}",
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"x\",\n      \"y\"\n     ]\n  }\n}",
        ),
        (
            "\u{feff}{\"permi\\u0073sions\": {\"allow\": [\"]\\\"\"]}}",
            "\u{feff}{\"permi\\u0073sions\": {\"allow\": [\"]\\\"\", \"x\", \"y\"]}}",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(put(text), expected);
    }
}

#[test]
fn a_file_that_okstra_made_goes_with_its_entries() {
    let edit = put_in(None, &Own::default(), &entries(&["x"])).unwrap();
    let text = edit.text.unwrap();
    assert_eq!(text, "{\n  \"permissions\": {\n    \"allow\": [\n      \"x\"\n    ]\n  }\n}\n");
    assert_eq!(take_out(&text, &edit.own).unwrap().text, None);
    // Unless somebody has put something into it.
    let more = text.replace("{\n  \"perm", "{\n  \"model\": \"m\",\n  \"perm");
    let rest = take_out(&more, &edit.own).unwrap().text.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&rest).unwrap(), json!({"model": "m"}));
    assert_eq!(put_in(None, &Own::default(), &[]).unwrap().text, None);
}

#[test]
fn others_entries_and_their_order_stay() {
    let first =
        put_in(Some("{\"permissions\": {\"allow\": [\"x\"]}}"), &Own::default(), &entries(&["x", "y", "z"])).unwrap();
    assert_eq!((first.added.clone(), first.own.made), (entries(&["y", "z"]), Made::Nothing));
    // `x` was there before, so it is not okstra's. Somebody takes `y` out and puts `w` in.
    let text = first.text.unwrap().replace("\"y\", ", "\"w\", ");
    let again = put_in(Some(&text), &first.own, &entries(&["x", "y", "z"])).unwrap();
    assert_eq!((again.text.as_deref(), again.added.len()), (Some(text.as_str()), 0), "`y` is not put in again");
    let edit = take_out(&text, &again.own).unwrap();
    assert_eq!(edit.text.as_deref(), Some("{\"permissions\": {\"allow\": [\"x\", \"w\"]}}"));
    assert_eq!(edit.removed, entries(&["z"]));
    // A newer okstra offers others.
    let newer = put_in(Some(&text), &first.own, &entries(&["y", "v"])).unwrap();
    assert_eq!(newer.text.as_deref(), Some("{\"permissions\": {\"allow\": [\"x\", \"w\", \"v\"]}}"));
    assert_eq!((newer.added, newer.removed), (entries(&["v"]), entries(&["z"])));
    assert_eq!(newer.own.entries, entries(&["v", "y"]), "that `y` was taken out stays known");
}

#[test]
fn what_is_not_as_it_should_be_is_refused_with_its_place() {
    let cases = [
        ("", (1, 1), "it is not JSON: EOF while parsing a value", false),
        ("{\n  // a comment\n}", (2, 3), "it is not JSON: key must be a string", false),
        ("{\n  \"a\": 1,\n}", (3, 1), "it is not JSON: trailing comma", false),
        ("{} x", (1, 4), "it is not JSON: trailing characters", false),
        ("[]", (1, 1), "settings are an object", true),
        ("{\n  \"é\": 1, \"permissions\": []}", (2, 26), "`permissions` has to be an object", true),
        ("{\"permissions\": {\"allow\": {}}}", (1, 27), "`permissions.allow` has to be a list", true),
        ("{\"permissions\": {\"allow\": null}}", (1, 27), "`permissions.allow` has to be a list", true),
        ("{\"permissions\": {\"allow\": [\"a\", 1]}}", (1, 33), "`permissions.allow` has to be a list of texts", true),
        ("{\"permissions\": {}, \"permissions\": {}}", (1, 21), "`permissions` stands there twice", true),
        ("{\"permissions\": {\"allow\": [], \"allow\": []}}", (1, 31), "`allow` stands there twice", true),
    ];
    for (text, place, what, is_json) in cases {
        let fault = put_in(Some(text), &Own::default(), &entries(&["x"])).unwrap_err();
        assert_eq!(((fault.line, fault.column), fault.what.as_str(), fault.is_json), (place, what, is_json), "{text}");
        assert_eq!(take_out(text, &Own::default()), Err(fault));
    }
}

/// A value as text with any white space.
fn spaced(value: &Value, spaces: &mut dyn FnMut() -> &'static str) -> String {
    let (open, parts, close): (_, Vec<String>, _) = match value {
        Value::Array(values) => ("[", values.iter().map(Value::to_string).collect(), "]"),
        Value::Object(members) => {
            let member = |(name, value)| format!("{}:{}", Value::from(String::clone(name)), spaced(value, spaces));
            ("{", members.iter().map(member).collect(), "}")
        }
        other => return other.to_string(),
    };
    let parts: Vec<_> = parts.iter().map(|part| format!("{}{part}{}", spaces(), spaces())).collect();
    format!("{open}{}{}{close}", if parts.is_empty() { spaces() } else { "" }, parts.join(","))
}

fn settings() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-z\"\\\\{}\\[\\],: ]{0,6}", Just("Bash(ls)".to_owned())];
    let allow = proptest::option::of(proptest::collection::vec(text.clone(), 0..3));
    let permissions = proptest::option::of((allow, proptest::option::of(text.clone())));
    (permissions, proptest::collection::btree_map("[a-e]", text, 0..3)).prop_map(|(permissions, others)| {
        let mut settings = json!(others);
        if let Some((allow, deny)) = permissions {
            settings["permissions"] = json!({});
            deny.into_iter().for_each(|deny| settings["permissions"]["deny"] = json!([deny]));
            allow.into_iter().for_each(|allow| settings["permissions"]["allow"] = json!(allow));
        }
        settings
    })
}

proptest! {
    #[test]
    fn whatever_the_file_looks_like(settings in settings(), seed in proptest::collection::vec(0_usize..5, 40)) {
        let mut at = 0;
        let mut spaces = || {
            at += 1;
            ["", " ", "\n", "\n  ", "\r\n\t"][seed[at % seed.len()]]
        };
        let text = format!("{}{}", spaced(&settings, &mut spaces), "\n");
        let new: Value = serde_json::from_str(&put(&text)).unwrap();
        let mut expected = settings.clone();
        let mut allow = expected["permissions"]["allow"].as_array().cloned().unwrap_or_default();
        allow.extend([json!("x"), json!("y")].into_iter().filter(|entry| {
            !settings["permissions"]["allow"].as_array().is_some_and(|old| old.contains(entry))
        }));
        expected["permissions"]["allow"] = json!(allow);
        prop_assert_eq!(new, expected);
    }

    #[test]
    fn hostile_text_is_refused_and_nothing_else(text in "[\\{\\}\\[\\]\",:a-e0-9 \\\\\\n]{0,40}") {
        let put = put_in(Some(&text), &Own::default(), &entries(&["x"]));
        prop_assert_eq!(put.is_ok(), serde_json::from_str::<serde_json::Map<String, Value>>(&text).is_ok());
    }
}
