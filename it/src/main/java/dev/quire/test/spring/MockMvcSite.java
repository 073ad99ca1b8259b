package dev.quire.test.spring;

import dev.quire.test.EsiSite;
import org.springframework.test.web.servlet.MockMvc;

/** A site over MockMvc, for tests that Spring's extension does not run, or without the starter. */
public final class MockMvcSite {
    private MockMvcSite() {}

    /**
     * The site of the application that {@code mvc} leads into, its pages assembled by the proxy.
     * MockMvc is made to behave like a container: sessions have cookies, errors their pages,
     * forwards happen, asynchronous handlers are waited for. Each request runs on a thread of its
     * own, so that neither the transaction nor the user of the test's thread are seen by it. Not
     * done: multipart bodies, JSPs, includes by the container.
     */
    public static EsiSite over(MockMvc mvc) {
        return EsiSite.over(new MockMvcApplication(mvc));
    }
}
