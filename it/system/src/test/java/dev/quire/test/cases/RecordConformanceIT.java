package dev.quire.test.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import dev.quire.core.policy.Compression;
import dev.quire.proxy.Proxy;
import dev.quire.proxy.cache.RecordedStore;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.path.SharedParts;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * The hits of all language cases, with stored responses that were written as records and read back:
 * the pages are the same.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecordConformanceIT {
    private final Recording subject = new Recording(new ProxySubject());
    private final CaseRunner runner = new CaseRunner(subject);

    @AfterAll
    void stop() {
        runner.close();
        assertThat(subject.records).isGreaterThan(200);
    }

    @TestFactory
    Stream<DynamicTest> cases() throws InvalidCases {
        return CaseFile.read(RepositoryCases.FILE).stream()
                .filter(one -> !hits(one).isEmpty())
                .map(one ->
                        DynamicTest.dynamicTest(
                                one.id(),
                                () -> {
                                    var outcome = runner.run(one, hits(one));

                                    if (!outcome.isPassed()) {
                                        fail(outcome.report());
                                    }
                                }));
    }

    private static List<Run> hits(Case one) {
        return one.runs().stream().filter(run -> run instanceof Run.Hit).toList();
    }

    /** Replaces the stored responses before each request. */
    private static final class Recording implements Subject {
        private final ProxySubject proxies;
        private int records;

        Recording(ProxySubject proxies) {
            this.proxies = proxies;
        }

        @Override
        public void begin(Case one, Run run) {
            proxies.begin(one, run);
        }

        @Override
        public Response ask(ClientRequest request) {
            var running = proxies.running();
            running.awaitNoFetch();
            var shared = shared(running);
            var heads = new StoredHeads(() -> Compression.ALL);
            records += new RecordedStore(shared.store(), heads, shared.time()).replaceAll();
            return proxies.ask(request);
        }

        @Override
        public List<Seen> seen() {
            return proxies.seen();
        }

        @Override
        public void end() {
            proxies.end();
        }

        @Override
        public void close() {
            proxies.close();
        }

        /** The proxy shows its store to no one else. */
        private static SharedParts shared(RunningProxy running) {
            try {
                var proxy = RunningProxy.class.getDeclaredField("proxy");
                proxy.setAccessible(true);
                var shared = Proxy.class.getDeclaredField("shared");
                shared.setAccessible(true);
                return (SharedParts) shared.get(proxy.get(running));
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("the proxy has no store", e);
            }
        }
    }
}
