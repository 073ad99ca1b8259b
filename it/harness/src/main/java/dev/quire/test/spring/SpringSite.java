package dev.quire.test.spring;

import dev.quire.test.Application;
import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import dev.quire.test.internal.AssemblyRecorder;
import java.net.URI;
import org.springframework.context.ApplicationContext;
import org.springframework.test.web.servlet.MockMvc;

/** Opens the site of an application started by Spring. */
public final class SpringSite {
    private SpringSite() {}

    /**
     * The site of {@code application}. If its beans include a {@link RecordingSurrogateClient}, the
     * application's invalidations are applied to the site until it is closed. If they include an
     * {@link AssemblyRecorder}, pages assembled by the application have a trace of their parts.
     *
     * @throws AssertionError if the application lacks something that {@code mode} needs
     */
    public static EsiSite over(ApplicationContext application, EsiMode mode) {
        var assembling =
                switch (mode) {
                    case MOCK_MVC, LIVE -> Assembling.PROXY;
                    case PROXY -> Assembling.proxy(setup -> setup);
                    case IN_APPLICATION -> Assembling.APPLICATION;
                };
        var asked =
                new ContextApplication(
                        mode == EsiMode.MOCK_MVC
                                ? byMockMvc(application)
                                : byPort(application, mode),
                        application);
        var site = EsiSite.over(asked).assembledBy(assembling);
        asked.tellsAbout(site);
        return site;
    }

    private static Application byMockMvc(ApplicationContext application) {
        var mvc = application.getBeanProvider(MockMvc.class).getIfUnique();
        if (mvc == null) {
            throw new AssertionError(
                    "a site of mode MOCK_MVC needs a bean of MockMvc, and the application has none (write @AutoConfigureMockMvc above the test class; or, to ask over a port, @SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT) and @AutoConfigureEsi(mode = EsiMode.LIVE))");
        }
        return new MockMvcApplication(mvc);
    }

    private static Application byPort(ApplicationContext application, EsiMode mode) {
        var port = application.getEnvironment().getProperty("local.server.port");
        if (port == null) {
            throw new AssertionError(
                    "a site of mode %s needs the port of the application, which listens at none (write @SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT) above the test class; or, to do without, @AutoConfigureMockMvc and @AutoConfigureEsi(mode = EsiMode.MOCK_MVC))"
                            .formatted(mode));
        }
        var url = URI.create("http://localhost:" + port);
        var recorder = application.getBeanProvider(AssemblyRecorder.class).getIfUnique();
        return recorder == null ? Application.at(url) : Application.at(url, recorder::take);
    }
}
