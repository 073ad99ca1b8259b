package dev.quire.test.attacks;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command that runs hostile dialogues against Quire or a peer and reports the broken rules. */
public final class Attacks {
    private static final int ALL_HELD = 0;
    private static final int SOME_BROKE = 1;
    private static final int CANNOT_RUN = 2;

    private Attacks() {}

    /**
     * Runs dialogues.
     *
     * @param arguments {@code quire}, {@code varnish=PROGRAM} or {@code nginx=PROGRAM}; then files
     *     or folders of dialogues
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    /** The exit status: 0 if all dialogues held, 1 if some broke, 2 if they could not be run. */
    static int run(String[] arguments, PrintStream out, PrintStream err) {
        if (arguments.length < 2) {
            err.println("attacks: no dialogue given (expected quire|PEER=PROGRAM FILE...)");
            return CANNOT_RUN;
        }
        AttackTarget target;
        var dialogues = new ArrayList<Dialogue>();
        try {
            target = target(arguments[0]);
            for (var file : List.of(arguments).subList(1, arguments.length)) {
                dialogues.addAll(DialogueFile.readAll(Path.of(file)));
            }
        } catch (InvalidDialogue e) {
            e.problems().forEach(err::println);
            return CANNOT_RUN;
        }
        return run(target, dialogues, out);
    }

    /** Runs the dialogues that apply to {@code target}. The exit status is as above. */
    static int run(AttackTarget target, List<Dialogue> dialogues, PrintStream out) {
        var runner = new DialogueRunner(target);
        int held = 0;
        int broke = 0;
        for (var dialogue : dialogues) {
            if (!dialogue.subjects().contains(target.name())) {
                continue;
            }
            try {
                runner.run(dialogue);
                held++;
                out.println("held   " + dialogue.file());
            } catch (AssertionError e) {
                if (e instanceof DialogueRunner.ControlFailed && !(target instanceof QuireTarget)) {
                    out.println("skip   " + dialogue.file() + ": the honest case fails too");
                } else {
                    broke++;
                    out.println("broke  " + dialogue.file());
                }
                out.println(e.getMessage());
            }
            out.flush();
        }
        out.println(
                "%s: %d held, %d broke, %d do not apply"
                        .formatted(target.name(), held, broke, dialogues.size() - held - broke));
        return broke == 0 ? ALL_HELD : SOME_BROKE;
    }

    private static AttackTarget target(String argument) throws InvalidDialogue {
        if (argument.equals("quire")) {
            return new QuireTarget();
        }
        for (var peer : Peer.values()) {
            if (argument.startsWith(peer + "=")) {
                return peer.at(Path.of(argument.substring(argument.indexOf('=') + 1)));
            }
        }
        throw new InvalidDialogue(
                List.of(
                        "attacks: unknown target '%s' (expected quire, varnish=PROGRAM or"
                                        .formatted(argument)
                                + " nginx=PROGRAM)"));
    }
}
