package dev.quire.test.spring;

import dev.quire.test.EsiSite;
import org.springframework.test.web.servlet.MockMvc;

/** Opens a site over MockMvc, for tests without Spring's extension, or without the starter. */
public final class MockMvcSite {
    private MockMvcSite() {}

    /**
     * The site of the application behind {@code mvc}, its pages assembled by the proxy. MockMvc is
     * made to behave like a container: it supports session cookies, error pages, forwards and
     * asynchronous handlers. Each request runs on its own thread, so it sees neither the
     * transaction nor the user of the test's thread. Not supported: multipart bodies, JSPs,
     * includes by the container.
     */
    public static EsiSite over(MockMvc mvc) {
        return EsiSite.over(new MockMvcApplication(mvc));
    }
}
