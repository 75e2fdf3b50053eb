//! Options of the jobs: those of one name have one meaning.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Command, CommandFactory};

/// The arguments of a command and of those below it, each with the command.
fn arguments(command: &Command, of: &str) -> Vec<(String, Arg)> {
    let of = format!("{of} {}", command.get_name());
    let own = command.get_arguments().map(|argument| (of.clone(), argument.clone()));
    own.chain(command.get_subcommands().flat_map(|below| arguments(below, &of))).collect()
}

/// The first sentence of the help, without the default.
fn meaning(argument: &Arg) -> String {
    let help = argument.get_help().expect("every option has help").to_string();
    let end = ["\n", ". ", " [default"].iter().filter_map(|end| help.find(end)).min();
    help[..end.unwrap_or(help.len())].to_owned()
}

/// The possible values. Those of `--format` depend on the job.
fn values(argument: &Arg) -> Vec<String> {
    match argument.get_long() {
        Some("format") => Vec::new(),
        _ => argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
    }
}

#[test]
fn options_of_one_name_have_one_meaning() {
    let mut command = crate::Command::command();
    command.build();
    let mut seen = BTreeMap::<String, (String, String)>::new();
    let mut repeated = 0;
    for (job, argument) in arguments(&command, "") {
        let Some(name) = argument.get_long() else { continue };
        let action = argument.get_action();
        if matches!(action, ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version) {
            continue;
        }
        let takes = action.takes_values().then(|| (argument.get_value_names(), argument.get_num_args()));
        let kind = argument.get_value_parser().type_id();
        let kind = (name != "format").then_some(kind);
        let now = format!(
            "{}; {action:?} {takes:?} {kind:?} {:?}, short {:?}",
            meaning(&argument),
            values(&argument),
            argument.get_short()
        );
        match seen.get(name) {
            Some((other, then)) => {
                assert_eq!(*then, now, "--{name} of{other} and of{job} differ: give them one meaning, or two names");
                repeated += 1;
            }
            None => _ = seen.insert(name.to_owned(), (job, now)),
        }
    }
    assert!(seen.len() > 80 && repeated > 20, "{} options, {repeated} repeated", seen.len());
}
