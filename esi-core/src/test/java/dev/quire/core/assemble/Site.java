package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;

/**
 * Documents that include one another, assembled with fragments in random order, in turns of random
 * length, for a client that reads a little at a time.
 */
final class Site {

    private static final Limits WIDE = new Limits(10, 4_000, 4);

    private final Map<String, String> documents;
    private final boolean isReread;

    /** The page is at {@code /}. */
    Site(Map<String, String> documents) {
        this(documents, false);
    }

    private Site(Map<String, String> documents, boolean isReread) {
        this.documents = documents;
        this.isReread = isReread;
    }

    /** Returns the site with plans that were written to bytes and read back. */
    Site reread() {
        return new Site(documents, true);
    }

    /** Returns the assembled page; checks that every body was released. */
    RecordedPage assembled(long seed, ErrorPolicy policy) {
        var random = new Random(seed);
        var source = new ShuffledSource(documents, seed, isReread);
        var page = new RecordedPage();
        page.room = 0;
        var request = new ScriptedRequest().with("HTTP_HOST", "<host>").with("QUERY_STRING", "a=b");
        var turn = new Turn(1 + random.nextInt(9), 1 + random.nextInt(3), 1 + random.nextInt(3));
        page.takesTurns = random.nextBoolean();
        var assembler = new Assembler<>(source, page, WIDE, policy, request, turn);
        page.whenProgressed = assembler::drain;
        assembler.start(
                AssemblerTest.key("/"),
                source.body("/", documents.get("/") + "<esi:comment text=''/>"));
        assembler.drain();
        boolean moved = true;
        while (moved) {
            boolean hasTurn = !page.turns.isEmpty() && random.nextBoolean();
            if (hasTurn) {
                page.turns.removeFirst().run();
            }
            page.room = random.nextInt(4);
            boolean isAllTaken = page.room > 0 && drain(assembler, page);
            moved = hasTurn || source.answerOne() || !isAllTaken || !page.turns.isEmpty();
        }
        assertThat(assembler.isComplete()).isTrue();
        assertThat(page.finished + page.failures.size()).isEqualTo(1);
        assembler.cancel();
        assertThat(source.bodies).allSatisfy(body -> assertThat(body.references()).isZero());
        return page;
    }

    /** Whether the page had no more to write than the consumer accepted. */
    private static boolean drain(Assembler<CountedBody> assembler, RecordedPage page) {
        assembler.drain();
        return page.room > 0;
    }
}
