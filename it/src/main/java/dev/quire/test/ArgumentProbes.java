package dev.quire.test;

import java.util.List;
import java.util.Map;

/** Whether an answer to a wrong argument is kept. One thread. */
final class ArgumentProbes {
    private final ReaderProbe readers;
    private final SingleAnswerChecks single;
    private final AnswerDifferences documents;
    private final Findings findings;

    ArgumentProbes(
            ReaderProbe readers,
            SingleAnswerChecks single,
            AnswerDifferences documents,
            Findings findings) {
        this.readers = readers;
        this.single = single;
        this.documents = documents;
        this.findings = findings;
    }

    /** Asks with arguments that make no sense. */
    void check(Findings.Place where, SharedAnswer usual) {
        for (var wrong : WrongArgument.of(where.target())) {
            var there = new Findings.Place(wrong.target(), where.handler(), where.from());
            var answer =
                    readers.ask(there, usual.user()).filter(SharedAnswer::isShared).orElse(null);
            if (answer == null) {
                continue;
            }
            single.errors(where, answer, wrong.what());
            var response = answer.response();
            boolean isLikeError =
                    response.status() < 400
                            && !answer.lifetime().isZero()
                            && !ErrorPage.isTrace(response.text())
                            && ErrorPage.isLike(documents.tree(response))
                            && !ErrorPage.isLike(documents.tree(usual.response()));
            if (isLikeError) {
                findings.add(
                        where,
                        LeakCause.CACHED_ERROR,
                        "%s is answered with status %d and the text of an error"
                                .formatted(wrong.what(), response.status()),
                        "",
                        Map.of(
                                wrong.what(),
                                Findings.shortened(SingleAnswerChecks.words(response))),
                        answer.said(),
                        List.of(usual.user().name()));
            }
        }
    }
}
