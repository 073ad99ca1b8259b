package dev.quire.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.Invalidation;
import dev.quire.test.ApplicationRequest;
import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationContext;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContextManager;

class SpringSiteTest {

    @SpringBootTest(
            classes = Workshop.class,
            properties = "quire.surrogate.urls=http://127.0.0.1:1")
    @AutoConfigureMockMvc
    @AutoConfigureEsi
    static class WithMockMvc {
        void test() {}
    }

    @SpringBootTest(classes = Workshop.class)
    @AutoConfigureEsi
    static class WithNothing {}

    private static TestContextManager manager;

    private ApplicationContext context;
    private RecordingSurrogateClient invalidations;

    @BeforeAll
    static void start() {
        manager = new TestContextManager(WithMockMvc.class);
    }

    @AfterAll
    static void stop() {
        manager.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
    }

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void begin() throws Exception {
        context = manager.getTestContext().getApplicationContext();
        invalidations = context.getBean(RecordingSurrogateClient.class);
        manager.beforeTestMethod(new WithMockMvc(), WithMockMvc.class.getDeclaredMethod("test"));
    }

    private EsiSite site() {
        return SpringSite.over(context, EsiMode.MOCK_MVC).assembledBy(Assembling.APPLICATION);
    }

    @Test
    void whatTheApplicationInvalidatesIsNotedDownAndNobodyElseIsTold() {
        try (var site = site()) {
            site.post("/change", Map.of());
            site.post("/change/page", Map.of());

            assertThat(invalidations)
                    .containsTags("things")
                    .containsUrls("/page")
                    .containsUrls("https://shop.example/page");
            assertThat(invalidations.invalidations()).hasSize(2);
            assertThat(context.getEnvironment().getProperty("quire.surrogate.urls")).isEmpty();
        }
    }

    @Test
    void eachTestBeginsWithNothingInvalidated() throws Exception {
        context.getBean(EsiInvalidator.class).tags("left");
        assertThat(invalidations).containsOnlyTags("left");

        begin();

        assertThat(invalidations).sentNothing();
    }

    @Test
    void missingInvalidationSaysWhatWasSentAndWhereToLook() {
        try (var site = site()) {
            site.post("/change/nothing", Map.of());
            assertThatThrownBy(() -> assertThat(invalidations).containsTags("things", "left"))
                    .hasMessage(
                            """
                            expected the application to invalidate the tags [things, left], found no invalidation of [things, left]
                            it invalidated nothing
                            (is the method that changes it annotated @InvalidatesFragments, or does it call EsiInvalidator, and has its transaction been committed?)\
                            """);

            site.post("/change", Map.of());
            assertThatThrownBy(() -> assertThat(invalidations).containsTags("things", "left"))
                    .hasMessageStartingWith(
                            """
                            expected the application to invalidate the tags [things, left], found no invalidation of [left]
                            it invalidated, tags first:
                              [things] []
                            """);
            assertThatThrownBy(() -> assertThat(invalidations).containsUrls("/page"))
                    .hasMessageStartingWith(
                            "expected the application to invalidate the URLs [/page], found no invalidation of [/page]");
        }
    }

    @Test
    void unwantedInvalidationIsShown() {
        context.getBean(EsiInvalidator.class)
                .purge(
                        new Invalidation(
                                Set.of("things"),
                                Set.of(URI.create("http://shop.example")),
                                Invalidation.Mode.HARD));

        assertThat(invalidations).containsUrls("/");
        assertThatThrownBy(() -> assertThat(invalidations).sentNothing())
                .hasMessage(
                        """
                        expected the application to invalidate nothing
                        it invalidated, tags first:
                          [things] [http://shop.example]
                        (where a transaction is rolled back nothing is sent: is there one open when EsiInvalidator is called?)\
                        """);
        assertThatThrownBy(() -> assertThat(invalidations).containsOnlyTags("things"))
                .hasMessageStartingWith(
                        "expected the application to invalidate only the tags [things], found also [http://shop.example]");
    }

    @Test
    void siteForgetsWhatTheApplicationInvalidates() {
        try (var site = SpringSite.over(context, EsiMode.MOCK_MVC)) {
            var first = site.get("/page").html();
            var kept = site.get("/page");

            site.post("/change", Map.of());
            var second = site.get("/page");
            site.post("/change/page", Map.of());
            var third = site.get("/page");

            assertThat(kept.html()).isEqualTo(first);
            assertThat(kept.trace().requests()).isEmpty();
            assertThat(second.trace().requests())
                    .extracting(ApplicationRequest::target)
                    .containsExactly("/made");
            assertThat(second.html()).isNotEqualTo(first);
            assertThat(third.trace().requests())
                    .extracting(ApplicationRequest::target)
                    .containsExactly("/page");
        }
    }

    @Test
    void closedSiteIsToldNothing() {
        var site = SpringSite.over(context, EsiMode.MOCK_MVC);
        site.get("/page");
        site.close();

        context.getBean(EsiInvalidator.class).tags("things");

        assertThat(invalidations).containsOnlyTags("things");
    }

    @Test
    void modeThatDoesNotFitTheTestSaysWhatToWrite() {
        assertThatThrownBy(() -> SpringSite.over(context, EsiMode.PROXY))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "a site of mode PROXY needs the port of the application, which listens at none (write @SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT) above the test class; or, to do without, @AutoConfigureMockMvc and @AutoConfigureEsi(mode = EsiMode.MOCK_MVC))");

        var other = new TestContextManager(WithNothing.class).getTestContext();
        var withoutMockMvc = other.getApplicationContext();
        assertThatThrownBy(() -> SpringSite.over(withoutMockMvc, EsiMode.MOCK_MVC))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "a site of mode MOCK_MVC needs a bean of MockMvc, and the application has none (write @AutoConfigureMockMvc above the test class; or, to ask over a port, @SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT) and @AutoConfigureEsi(mode = EsiMode.LIVE))");
        other.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
    }
}
