package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import org.junit.jupiter.api.Test;

/**
 * A client's trace context is propagated to the page and its fragments (W3C Trace Context §3.2).
 */
class TraceContextIT {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    @Test
    void pageAndFragmentsAreAskedForWithTheClientsTrace() {
        try (var origin = Origin.start();
                var proxy = RunningProxy.inFrontOf(origin).start()) {
            origin.on("/page", page("[<esi:include src='/a'/><esi:include src='/b'/>]"));
            origin.on("/a", fragment("a"));
            origin.on("/b", page("b<esi:include src='/c'/>"));
            origin.on("/c", fragment("c"));

            var body =
                    proxy.get(
                                    "/page",
                                    "traceparent",
                                    "00-" + TRACE + "-00f067aa0ba902b7-01",
                                    "tracestate",
                                    "vendor=1")
                            .text();

            assertThat(body).isEqualTo("[abc]");
            assertThat(origin.requests()).hasSize(4);
            assertThat(origin.requests())
                    .allSatisfy(request -> {
                        assertThat(request.fields().all("traceparent"))
                                .singleElement()
                                .asString()
                                .startsWith("00-" + TRACE + "-");
                        assertThat(request.fields().all("tracestate")).containsExactly("vendor=1");
                    });
        }
    }
}
