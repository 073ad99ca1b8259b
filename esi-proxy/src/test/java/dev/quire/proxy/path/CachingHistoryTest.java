package dev.quire.proxy.path;

import dev.quire.proxy.disk.TemporaryDirectory;
import dev.quire.proxy.path.History.Confirmed;
import dev.quire.proxy.path.History.Fault;
import dev.quire.proxy.path.History.NotModified;
import dev.quire.proxy.path.History.Reply;
import dev.quire.proxy.path.History.Step;
import dev.quire.proxy.reference.Lines;
import dev.quire.proxy.reference.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * For random histories the proxy behaves like the reference model of a shared cache: it sends the
 * same conditional requests to the origin and the same responses to each client.
 */
class CachingHistoryTest {

    @Provide
    Arbitrary<History> histories() {
        return Histories.any();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void productAgreesWithTheReferenceModel(@ForAll("histories") History history) {
        HistoryRun.of(history);
    }

    @Provide
    Arbitrary<History> historiesWithRestarts() {
        return Histories.withRestarts();
    }

    @Property(tries = 120, edgeCases = EdgeCasesMode.NONE)
    void productWithoutMemoryAgreesWithTheReferenceModel(
            @ForAll("historiesWithRestarts") History history) throws IOException {
        try (var directory = TemporaryDirectory.create()) {
            HistoryRun.onDisk(history, directory.path());
        }
    }

    @Example
    void newestResponseIsValidatedAlthoughItsVaryIsAnother() throws IOException {
        var varying = Lines.NONE.with("ETag", "\"1\"").with("Vary", "X-A");
        var plain = Lines.NONE.with("ETag", "\"1\"");
        var confirmed = Optional.of(new NotModified(Confirmed.SAME, Lines.NONE));
        onDisk(
                get(Lines.NONE, varying, Optional.empty()),
                get(Lines.NONE, Lines.NONE, confirmed),
                get(Lines.NONE.with("X-A", "1"), plain, Optional.empty()),
                get(Lines.NONE, Lines.NONE, confirmed));
    }

    @Example
    void responseIsUselessAtTheEndOfItsLifetime() throws IOException {
        var lines = Lines.NONE.with("Cache-Control", "s-maxage=30");
        onDisk(
                get(Lines.NONE, lines, Optional.empty()),
                new Step.Wait(Duration.ofSeconds(30)),
                new Step.Ask(
                        new Request("GET", "/a", Lines.NONE),
                        new Reply(200, Lines.NONE, Optional.empty(), Duration.ZERO, Fault.SILENT)));
    }

    private static void onDisk(Step... steps) throws IOException {
        try (var directory = TemporaryDirectory.create()) {
            HistoryRun.onDisk(new History(List.of(steps)), directory.path());
        }
    }

    private static Step get(Lines request, Lines response, Optional<NotModified> confirmed) {
        return new Step.Ask(
                new Request("GET", "/a", request),
                new Reply(200, response, confirmed, Duration.ZERO, Fault.NONE));
    }
}
